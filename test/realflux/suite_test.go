// Package realflux runs MiniClusters on real Flux brokers: the operator, a Kubernetes control plane, a kubelet with
// containerd, and images with Flux.
//
//	eval "$(hack/build-flux.sh --security CLONE --core CLONE | tail -n 1)"   # sets FLUX_LAYERS
//	make test-realflux
//
// REALFLUX has the names of the images, the newest Flux first. It runs all tests, the others those of versions.
package realflux

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/flux-framework/flux-operator/internal/controller"
	"github.com/flux-framework/flux-operator/test/operator"
)

// imagePrefix is how the images of make test-realflux are called; the number behind it is the position in FLUX_LAYERS.
const imagePrefix = "localhost/flux:"

// root is the directory of the repository.
const root = "../.."

// hostPaths is where volumes may be on the node, whose files are a copy-on-write view of the host's.
const hostPaths = "/tmp/results"

var reportFile = flag.String("report", "", "`file` to write the table of features to")

// suite is what all tests share.
type suite struct {
	client  client.Client
	pods    kubernetes.Interface
	images  []string // the newest Flux first
	manager *operator.Process
	dir     string
	once    sync.Once
	err     error
	report  results
}

var all suite

func TestMain(m *testing.M) {
	flag.Parse()
	log.SetLogger(logr.Discard())
	code := m.Run()
	all.end()
	if *reportFile != "" { // failures are in it, too
		if err := all.report.write(*reportFile); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	if reason := missing(); reason != "" {
		fmt.Fprintln(os.Stderr, "test/realflux did not run:", reason)
	}
	os.Exit(code)
}

// missing returns why the tests cannot run, or "".
func missing() string {
	if os.Getenv("KUBECONFIG") == "" || os.Getenv("REALFLUX") == "" {
		return "it needs a node with images of Flux; `make test-realflux` starts one, with FLUX_LAYERS set by " +
			"hack/build-flux.sh"
	}
	return ""
}

// need skips a test where there is no real node, and sets up the suite before the first other one.
func need(t *testing.T) *suite {
	t.Helper()
	if reason := missing(); reason != "" {
		t.Skip(reason)
	}
	all.once.Do(func() { all.err = all.set() })
	if all.err != nil {
		t.Fatal(all.err)
	}
	return &all
}

// set connects to the control plane and starts the operator.
func (s *suite) set() error {
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	if err != nil {
		return err
	}
	config.QPS = -1
	if s.client, err = client.New(config, client.Options{Scheme: controller.Scheme()}); err != nil {
		return err
	}
	if s.pods, err = kubernetes.NewForConfig(rest.CopyConfig(config)); err != nil {
		return err
	}
	s.images = strings.Fields(os.Getenv("REALFLUX"))
	return s.startOperator()
}

func (s *suite) end() {
	if s.manager != nil {
		s.manager.Kill()
	}
	if s.dir != "" {
		os.RemoveAll(s.dir)
	}
}

// startOperator installs the operator and runs its manager as its service account.
func (s *suite) startOperator() error {
	var err error
	if s.dir, err = os.MkdirTemp("", "realflux-"); err != nil {
		return err
	}
	if err := operator.Build(root, s.dir); err != nil {
		return err
	}
	if err := operator.Install(root + "/test/e2e/config"); err != nil {
		return err
	}
	kubeconfig, err := operator.Impersonate(filepath.Join(s.dir, "operator.kubeconfig"), operator.Namespace, operator.Name)
	if err != nil {
		return err
	}
	if s.manager, err = operator.Start(s.dir, kubeconfig, "--allow-volumes", "--allow-host-paths="+hostPaths); err != nil {
		return err
	}
	for range 600 {
		if s.manager.Unready() == "" {
			return nil
		}
		time.Sleep(100 * time.Millisecond)
	}
	return fmt.Errorf("the operator is not ready:\n%s", s.manager.Tail(20))
}
