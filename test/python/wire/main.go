// Copyright The Flux Operator Authors.
// SPDX-License-Identifier: Apache-2.0

// Command wire is what the Python tests ask of Go: objects as encoding/json writes them, what Go
// reads in objects and YAML that Python wrote, and what an API server says of them.
//
//	wire fill -kind MiniCluster -n 300 -seed 1   random objects
//	wire decode -kind MiniCluster                objects, encoded again
//	wire yaml                                    YAML texts, as JSON
//	wire validate -crd FILE                      objects, as lists of what is wrong with them
//
// All but fill read a JSON value a line from standard input. All write a JSON value a line.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"sigs.k8s.io/yaml"

	api "github.com/flux-framework/flux-operator/api/v1alpha1"
	"github.com/flux-framework/flux-operator/internal/apiserver"
	rules "github.com/flux-framework/flux-operator/test/python/testdata/rules/api/v1"
)

func main() {
	if err := run(os.Args[1:], os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "wire:", err)
		os.Exit(2)
	}
}

// kinds are the Go types of the objects.
var kinds = map[string]func() any{
	"MiniCluster":     func() any { return &api.MiniCluster{} },
	"MiniClusterList": func() any { return &api.MiniClusterList{} },
	"Rule":            func() any { return &rules.Rule{} },
}

func run(args []string, in io.Reader, out io.Writer) error {
	if len(args) == 0 {
		return errors.New("say fill, decode, yaml or validate")
	}
	flags := flag.NewFlagSet(args[0], flag.ContinueOnError)
	kind := flags.String("kind", "MiniCluster", "of the objects")
	number := flags.Int("n", 300, "how many objects to fill")
	seed := flags.Int64("seed", 1, "of the random numbers")
	crd := flags.String("crd", "", "file of the CustomResourceDefinition")
	if err := flags.Parse(args[1:]); err != nil {
		return err
	}
	object, ok := kinds[*kind]
	if !ok {
		return fmt.Errorf("there is no kind %s", *kind)
	}
	switch args[0] {
	case "fill":
		return fill(object, *number, *seed, json.NewEncoder(out))
	case "decode":
		return each(in, out, func(line json.RawMessage) (any, error) { return decode(object(), line) })
	case "yaml":
		return each(in, out, fromYAML)
	case "validate":
		manifest, err := os.ReadFile(*crd)
		if err != nil {
			return err
		}
		s, err := apiserver.New(manifest, "")
		if err != nil {
			return err
		}
		return each(in, out, func(line json.RawMessage) (any, error) { return validate(s, line) })
	}
	return fmt.Errorf("there is no verb %s", args[0])
}

// each writes the answer to every value that it reads.
func each(in io.Reader, out io.Writer, answer func(json.RawMessage) (any, error)) error {
	decoder, encoder := json.NewDecoder(in), json.NewEncoder(out)
	for {
		var line json.RawMessage
		if err := decoder.Decode(&line); err == io.EOF {
			return nil
		} else if err != nil {
			return fmt.Errorf("reading a line: %w", err)
		}
		value, err := answer(line)
		if err != nil {
			return fmt.Errorf("%.2000s: %w", line, err)
		}
		if err := encoder.Encode(value); err != nil {
			return fmt.Errorf("writing an answer: %w", err)
		}
	}
}

// decode reads an object by its Go type, which has to have all fields.
func decode(object any, line json.RawMessage) (any, error) {
	decoder := json.NewDecoder(bytes.NewReader(line))
	decoder.DisallowUnknownFields()
	return object, decoder.Decode(object)
}

// fromYAML reads YAML as kubectl does.
func fromYAML(line json.RawMessage) (any, error) {
	var text string
	if err := json.Unmarshal(line, &text); err != nil {
		return nil, err
	}
	document, err := yaml.YAMLToJSONStrict([]byte(text))
	return json.RawMessage(document), err
}
