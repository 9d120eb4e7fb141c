package main

import (
	"errors"
	"flag"
	"fmt"
	"go/scanner"
	"io"
	"os"
	"strings"

	"github.com/flux-framework/flux-operator/pkg/minicluster"
)

// The exit codes.
const (
	exitOK  = 0
	exitBad = 2 // wrong usage or wrong input; nothing is printed
)

const usage = `Usage: fluxoperator-gen -f FILE [-i LETTERS] [-o yaml|json] [-kubeconfig FILE]

Prints the objects that the Flux Operator makes of the MiniClusters in a file.

  -f FILE           the file, in YAML or JSON; it may hold several documents. - is stdin
  -i LETTERS        print only some of the objects: c config maps, s services, j the Job
                    and the pod of spec.services, v persistent volumes and their claims
  -o yaml|json      print YAML documents, the default, or one List in JSON
  -kubeconfig FILE  take the namespace of MiniClusters that name none from the current
                    context of FILE, not default
`

// options are the command line.
type options struct {
	file, include, output, kubeconfig string
}

// run is the program without its process. Objects go to stdout, and all else to stderr.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer, random io.Reader) int {
	o, err := parse(args)
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprint(stdout, usage)
		return exitOK
	}
	var out []byte
	if err == nil {
		out, err = generate(o, stdin, random)
	}
	if err == nil {
		_, err = stdout.Write(out)
	}
	if err != nil {
		scanner.PrintError(stderr, err)
		return exitBad
	}
	return exitOK
}

func parse(args []string) (options, error) {
	var o options
	flags := flag.NewFlagSet("fluxoperator-gen", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.StringVar(&o.file, "f", "", "")
	flags.StringVar(&o.include, "i", letters, "")
	flags.StringVar(&o.output, "o", "yaml", "")
	flags.StringVar(&o.kubeconfig, "kubeconfig", "", "")
	err := flags.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return o, err
	case err != nil:
		return o, misuse("%v", err)
	case flags.NArg() > 0:
		return o, misuse("%s: there are no arguments without a flag", flags.Arg(0))
	case o.file == "":
		return o, misuse("-f is missing: it names the file with the MiniCluster")
	case o.include == "":
		return o, misuse("-i is empty: it wants some of %s", letters)
	case strings.TrimLeft(o.include, letters) != "":
		return o, misuse("-i %s: %.1s is none of %s", o.include, strings.TrimLeft(o.include, letters), letters)
	case o.output != "yaml" && o.output != "json":
		return o, misuse("-o %s: it wants yaml or json", o.output)
	}
	return o, nil
}

func misuse(format string, args ...any) error {
	return fmt.Errorf(format+"\n    fluxoperator-gen -h shows all flags", args...)
}

// generate reads all MiniClusters of the file before it prints any, so that a wrong one leaves
// no half of an output.
func generate(o options, stdin io.Reader, random io.Reader) ([]byte, error) {
	name, data, err := read(o.file, stdin)
	if err != nil {
		return nil, err
	}
	namespace, err := currentNamespace(o.kubeconfig)
	if err != nil {
		return nil, err
	}
	clusters, err := decode(name, data, namespace)
	if err != nil {
		return nil, err
	}
	var all []minicluster.Object
	for _, mc := range clusters {
		set, err := minicluster.Objects(mc, minicluster.Options{Rand: random})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		all = append(all, chosen(set, o.include)...)
	}
	if o.output == "json" {
		return encodeJSON(all)
	}
	return encodeYAML(all)
}

func read(file string, stdin io.Reader) (name string, data []byte, err error) {
	if file == "-" {
		data, err = io.ReadAll(stdin)
		return "<stdin>", data, err
	}
	data, err = os.ReadFile(file)
	return file, data, err
}
