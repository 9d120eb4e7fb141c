package pipeline

import (
	"context"

	"github.com/flux-framework/flux-operator/sdkgen/internal/artifact"
	"github.com/flux-framework/flux-operator/sdkgen/internal/document"
	"github.com/flux-framework/flux-operator/sdkgen/internal/policy"
	"github.com/flux-framework/flux-operator/sdkgen/internal/swagger"
)

// policies makes the policies that warn of deprecated fields.
func (b *build) policies(context.Context) (*artifact.Set, error) {
	docs, err := readDocuments(b.sets[swagger.Stage])
	if err != nil {
		return nil, err
	}
	var apis []*document.API
	for _, doc := range docs {
		apis = append(apis, doc.API)
	}
	return policy.Policies(b.cfg.Policy.Dir, apis...)
}

func (b *build) policyKey(k *keyer) error {
	k.json("policy", b.cfg.Policy)
	return nil
}
