package golang_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/flux-framework/flux-operator/sdkgen/internal/stage/golang"
	"github.com/flux-framework/flux-operator/sdkgen/internal/testkit"
)

// TestFakeSchema: texts are left out, properties of their names and numbers stay as they are.
func TestFakeSchema(t *testing.T) {
	const data = `{"swagger":"2.0","info":{"title":"t","version":"v1"},"paths":{"/apis/example.com/v1/things":{"get":{"responses":{"200":{"schema":{"$ref":"#/definitions/ThingList"},"description":"OK"}}}},"/apis/example.com/v1/things/{name}":{"get":{"responses":{"200":{"description":"OK"}}}}},"definitions":{
		"Thing":{"type":"object","description":"a thing","properties":{"description":{"type":"string","description":"a text"},"n":{"type":"integer","default":9007199254740993}},
			"x-go-type":{"type":"Thing","import":{"package":"example.com/v1"}},"x-kubernetes-validations":[{"rule":"true"}],
			"x-kubernetes-group-version-kind":[{"group":"example.com","version":"v1","kind":"Thing"}],"x-sdkgen-plural":"things"},
		"ThingList":{"type":"object","properties":{"items":{"type":"array","items":{"$ref":"#/definitions/Thing"}}},
			"x-kubernetes-group-version-kind":[{"group":"example.com","version":"v1","kind":"ThingList"}]}}}`
	const want = `{
 "definitions": {
  "Thing": {
   "properties": {
    "description": {
     "type": "string"
    },
    "n": {
     "default": 9007199254740993,
     "type": "integer"
    }
   },
   "type": "object",
   "x-kubernetes-group-version-kind": [
    {
     "group": "example.com",
     "kind": "Thing",
     "version": "v1"
    }
   ],
   "x-sdkgen-plural": "things"
  },
  "ThingList": {
   "properties": {
    "items": {
     "items": {
      "$ref": "#/definitions/Thing"
     },
     "type": "array"
    }
   },
   "type": "object",
   "x-kubernetes-group-version-kind": [
    {
     "group": "example.com",
     "kind": "ThingList",
     "version": "v1"
    }
   ]
  }
 },
 "resources": [
  {
   "group": "example.com",
   "version": "v1",
   "kind": "Thing",
   "list": "ThingList",
   "plural": "things",
   "namespaced": false,
   "status": false,
   "definition": "Thing"
  }
 ]
}
`
	got, err := golang.FakeSchema(testkit.Model(t, []byte(data)))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, string(got)); d != "" {
		t.Error(d)
	}
}
