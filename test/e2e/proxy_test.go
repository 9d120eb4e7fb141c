package e2e

import (
	"testing"

	"k8s.io/client-go/rest"

	"github.com/flux-framework/flux-operator/test/operator"
)

// proxy starts a proxy to the API server, and closes it after the test.
func (s *suite) proxy(t *testing.T, as rest.ImpersonationConfig) *operator.Proxy {
	t.Helper()
	p, err := operator.NewProxy(s.dir, s.config, as)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}
