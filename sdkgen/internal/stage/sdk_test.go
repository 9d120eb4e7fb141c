package stage

import (
	"testing"

	"github.com/flux-framework/flux-operator/sdkgen/internal/config"
	"github.com/flux-framework/flux-operator/sdkgen/runtime"
)

// TestRuntimeOfTemplates: an SDK has the runtime, unless the project has templates of its own.
func TestRuntimeOfTemplates(t *testing.T) {
	for templates, want := range map[string]bool{"": true, "templates": false} {
		s := &SDK{Config: &config.SDK{Templates: templates}, Language: Language{Stage: "python", Runtime: runtime.Python}}
		set, err := s.runtime("sample")
		if err != nil {
			t.Fatal(err)
		}
		file, ok := set.Lookup("sample/_model.py")
		if ok != want || ok && file.Origin != "python" || !ok && set.Len() > 0 {
			t.Errorf("templates %q: %d files, origin %q", templates, set.Len(), file.Origin)
		}
	}
}
