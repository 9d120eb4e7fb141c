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
	exitOK      = 0
	exitInvalid = 2 // invalid usage or input; nothing is written to stdout
)

const usage = `Usage: fluxoperator-gen -f FILE [flags]

Prints the objects that the Flux Operator creates for the MiniClusters in a file.

Examples:
  # Print all objects of a MiniCluster
  fluxoperator-gen -f minicluster.yaml

  # Run a MiniCluster in a cluster without the operator
  fluxoperator-gen -f minicluster.yaml | kubectl apply -f -

  # Apply a change to it, without ConfigMaps and Secrets, since each run generates new keys
  fluxoperator-gen -f minicluster.yaml -i sjv | kubectl apply -f -

Flags:
  -f FILE           YAML or JSON file with one or more MiniClusters; - reads stdin
  -i LETTERS        print only some kinds of objects: c ConfigMaps and Secrets, s Services, j the
                    Job and the pod of spec.services, v PersistentVolumes and their claims
                    (default csjv)
  -o yaml|json      print YAML documents or a JSON List (default yaml)
  -kubeconfig FILE  use the namespace of the current context of FILE for MiniClusters that have
                    none (default: the namespace default)
`

// options are the command line.
type options struct {
	file, include, output, kubeconfig string
}

// run is the program without its process. Objects and help go to stdout, errors to stderr.
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
		return exitInvalid
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
		return o, usageError("%v", err)
	case flags.NArg() > 0:
		return o, usageError("unexpected argument %q", flags.Arg(0))
	case o.file == "":
		return o, usageError("required flag -f is not set")
	case o.include == "" || strings.TrimLeft(o.include, letters) != "":
		return o, usageError("invalid value %q for flag -i: must be letters of %s", o.include, letters)
	case o.output != "yaml" && o.output != "json":
		return o, usageError("invalid value %q for flag -o: must be yaml or json", o.output)
	}
	return o, nil
}

func usageError(format string, args ...any) error {
	return fmt.Errorf(format+"\nRun fluxoperator-gen -h for usage.", args...)
}

// generate decodes all MiniClusters of the file before it encodes any, so that an invalid one leaves
// no partial output.
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
	for _, c := range clusters {
		objects, err := selected(c, o.include, random)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		all = append(all, objects...)
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
