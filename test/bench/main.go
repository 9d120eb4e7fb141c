// Command bench measures, in one run on one machine, what it costs to make the SDKs:
//
//	A  sdkgen generate --no-cache: every stage of the toolchain
//	B  the classic recipe: controller-gen object, controller-gen crd, openapi-gen, go run of a
//	   swagger program, and the jar twice, for Python and for Go; six processes in a row
//	C  sdkgen generate with nothing changed
//
// All programs are built and run once before the clock starts, so that caches are warm for
// each; then the rounds go A B C, A B C. It works on copies of the project in a temporary
// folder and prints medians and ratios on stdout. How a process was measured: sample.go.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
)

// The exit codes are sdkgen's: 1 is a ratio above the limit, 2 a run that did not come about.
const (
	exitOK     = 0
	exitAbove  = 1
	exitBroken = 2
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr, os.Getenv)
	stop()
	os.Exit(code)
}

// options are the command line.
type options struct {
	root   string  // the project
	api    string  // the API's version
	rounds int     // how often each is measured
	limit  float64 // the highest wall ratio A/B that is not a failure; 0 is no limit
	log    io.Writer
	getenv func(string) string
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer, getenv func(string) string) int {
	opts := options{log: stderr, getenv: getenv}
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&opts.root, "C", ".", "the project's `folder`")
	flags.StringVar(&opts.api, "api", "v1alpha1", "the API's `version`")
	flags.IntVar(&opts.rounds, "n", 5, "rounds")
	flags.Float64Var(&opts.limit, "limit", 0, "exit 1 where A takes more than this part of B's time")
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return exitOK
	case err != nil: // flag has said what
		return exitBroken
	case flags.NArg() > 0 || opts.rounds < 1:
		fmt.Fprintln(stderr, "bench: there are only flags (see -h), and -n is 1 or more")
		return exitBroken
	}
	result, err := measure(ctx, opts)
	if err != nil {
		fmt.Fprintln(stderr, "bench:", err)
		return exitBroken
	}
	if err := result.print(stdout); err != nil {
		fmt.Fprintln(stderr, "bench:", err)
		return exitBroken
	}
	if ratio := result.wallRatio(); opts.limit > 0 && ratio > opts.limit {
		fmt.Fprintf(stderr, "bench: A takes %.3f of B's time, the limit is %.3f\n", ratio, opts.limit)
		return exitAbove
	}
	return exitOK
}
