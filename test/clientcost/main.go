// Command clientcost measures what the Go clients cost those who use them, with the programs of
// examples/go, and writes the tables of docs/use/go-clients.md.
//
//	go run ./test/clientcost [-report FILE] [-cold=false]
//
// It runs in the root of the repository. Without -report the tables go to standard output.
package main

import (
	"flag"
	"fmt"
	"os"
	"runtime"

	"github.com/go-logr/logr"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/flux-framework/flux-operator/test/report"
)

// sides are the programs of examples/go.
var sides = []string{"light", "clientset", "controllerruntime"}

func main() {
	file := flag.String("report", "", "file whose tables to write, between their marks")
	cold := flag.Bool("cold", true, "measure builds without a cache too")
	flag.Parse()
	log.SetLogger(logr.Discard())
	if err := run(*file, *cold); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(file string, cold bool) error {
	linked, err := buildTable("examples/go", cold)
	if err != nil {
		return err
	}
	allocated, err := callTable()
	if err != nil {
		return err
	}
	machine := fmt.Sprintf("Measured by %s on %s/%s, %d cores.\n", runtime.Version(), runtime.GOOS, runtime.GOARCH,
		runtime.NumCPU())
	tables := []report.Section{{Mark: "machine", Text: machine}, {Mark: "build", Text: linked},
		{Mark: "calls", Text: allocated}}
	if file == "" {
		for _, table := range tables {
			fmt.Println(table.Text)
		}
		return nil
	}
	return report.Write(file, tables)
}
