// Command bench measures, in one run on one machine, what it costs to make the SDKs: with sdkgen
// (A), and with the classic recipe (B: controller-gen object and crd, openapi-gen, go run of a
// swagger program, the jar twice and, with clients, code-generator's four tools, in a row).
//
//	go run ./sdkgen/test/bench [-n N] [-only TEXT] [-report FILE]
//
// It works on copies of the project in a temporary directory. The rows of a table are measured in
// turns, A B A B, and medians are kept. With -report the tables are written into FILE, between
// their marks; else, and with -only, they go to standard output. How a process is measured:
// sample.go; what is measured: rows.go, growth.go and others.go.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"time"

	"github.com/flux-framework/flux-operator/sdkgen/test/report"
)

// The exit codes.
const (
	exitOK     = 0
	exitBroken = 2 // a run that did not come about
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// options are the command line.
type options struct {
	root   string // the project
	rounds int    // how often a row is measured, unless it says less
	only   string // part of the names of the rows to measure; all if empty
	report string // file whose tables to write
	log    io.Writer
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	opts := options{log: stderr}
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&opts.root, "C", ".", "the project's `directory`")
	flags.IntVar(&opts.rounds, "n", 5, "rounds")
	flags.StringVar(&opts.only, "only", "", "measure the rows with this `text` in their names, and write no report")
	flags.StringVar(&opts.report, "report", "", "`file` whose tables to write")
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return exitOK
	case err != nil: // flag has said what
		return exitBroken
	case flags.NArg() > 0 || opts.rounds < 1:
		fmt.Fprintln(stderr, "bench: there are only flags (see -h), and -n is 1 or more")
		return exitBroken
	}
	if err := bench(ctx, opts, stdout); err != nil {
		fmt.Fprintln(stderr, "bench:", err)
		return exitBroken
	}
	return exitOK
}

// bench measures and reports.
func bench(ctx context.Context, opts options, stdout io.Writer) error {
	root, err := filepath.Abs(opts.root)
	if err != nil {
		return err
	}
	load := loadAverage() // before anything is built
	tmp, err := os.MkdirTemp("", "sdkgen-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp) //nolint:errcheck // a directory left in the temporary one is no error of the figures
	p, err := prepare(ctx, opts, root, tmp)
	if err != nil {
		return err
	}
	res, err := measure(ctx, opts, p)
	if err != nil {
		return err
	}
	res.machine = describe(ctx, p.java, load, time.Now(), opts.rounds)
	if opts.report == "" || opts.only != "" {
		return printTables(stdout, res.tables())
	}
	return report.Write(filepath.Join(root, opts.report), res.tables())
}
