// Package e2e tests the operator on the API server of KUBECONFIG. It installs the operator as
// docs/operate/operator.md describes, and runs the manager as the operator's service account.
//
//	make test-e2e                          starts a control plane, and runs the tests
//	go test -short ./test/e2e              skips faults and load
//	go test -run 'Fault|Load' ./test/e2e
//
// The tests stop all processes that they start.
package e2e

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-logr/logr"
	appsv1 "k8s.io/api/apps/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/flux-framework/flux-operator/internal/controller"

	"github.com/flux-framework/flux-operator/test/operator"
)

// patience is how long to wait for what should happen soon. The garbage collector of a new control plane
// takes some time to discover a new kind.
const patience = 90 * time.Second

// root is the directory of the repository.
const root = "../.."

// suite is the state that all tests share.
type suite struct {
	dir        string // for the programs and their files
	config     *rest.Config
	client     client.Client // the administrator's
	kubeconfig string        // the operator's
	connect    sync.Once
	install    sync.Once
	err        error // of either
	processes  []*operator.Process
	report     report
	keys       map[string]string // that the operator has generated, and the names of their Secrets
}

var all suite

func TestMain(m *testing.M) {
	log.SetLogger(logr.Discard())
	code := m.Run()
	if leaked := all.leaksInLogs(); code == 0 && len(leaked) > 0 {
		fmt.Fprintf(os.Stderr, "an operator's log has keys: %s\n", strings.Join(leaked, ", "))
		code = 1
	}
	all.end()
	if code == 0 && *reportFile != "" {
		if err := all.report.write(*reportFile); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

// need skips a test without KUBECONFIG, and installs the operator before the first other one. With CI and E2E set, a
// missing KUBECONFIG is an error.
func need(t *testing.T) *suite {
	t.Helper()
	s := connected(t)
	if s.install.Do(func() { s.err = s.set() }); s.err != nil {
		t.Fatal(s.err)
	}
	return s
}

// connected is need without the operator.
func connected(t *testing.T) *suite {
	t.Helper()
	if os.Getenv("KUBECONFIG") == "" {
		const reason = "KUBECONFIG is not set; `make test-e2e` starts a control plane"
		if os.Getenv("CI") == "true" && os.Getenv("E2E") != "" {
			t.Fatal(reason)
		}
		t.Skip(reason)
	}
	if all.connect.Do(func() { all.err = all.dial() }); all.err != nil {
		t.Fatal(all.err)
	}
	return &all
}

// long skips a test of faults or load with -short.
func long(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("-short skips faults and load")
	}
}

// dial builds the programs and makes the administrator's client.
func (s *suite) dial() error {
	var err error
	if s.dir, err = os.MkdirTemp("", "flux-operator-e2e-"); err != nil {
		return err
	}
	if err := operator.Build(root, s.dir); err != nil {
		return err
	}
	if s.config, err = clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG")); err != nil {
		return err
	}
	s.config.QPS = -1
	scheme, err := schemes()
	if err != nil {
		return err
	}
	s.client, err = client.New(s.config, client.Options{Scheme: scheme})
	return err
}

// set installs the operator, without its pod.
func (s *suite) set() error {
	if err := operator.Install(root + "/test/e2e/config"); err != nil {
		return err
	}
	var err error
	s.kubeconfig, err = operator.Impersonate(filepath.Join(s.dir, "operator.kubeconfig"), operator.Namespace,
		operator.Name)
	return err
}

func schemes() (*runtime.Scheme, error) {
	scheme := controller.Scheme()
	return scheme, errors.Join(apiextensionsv1.AddToScheme(scheme), appsv1.AddToScheme(scheme))
}

func (s *suite) end() {
	for _, p := range s.processes {
		p.Kill()
	}
	if s.dir != "" {
		os.RemoveAll(s.dir)
	}
}

// eventually waits until missing returns "". It returns what is missing.
func eventually(t *testing.T, within time.Duration, missing func() string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), within)
	defer cancel()
	for {
		last := missing()
		if last == "" {
			return
		}
		select {
		case <-ctx.Done():
			t.Fatalf("after %s: %s", within, last)
		case <-time.After(100 * time.Millisecond):
		}
	}
}
