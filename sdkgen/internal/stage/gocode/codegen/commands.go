package codegen

import (
	"path"
	"path/filepath"
	"strings"
)

// command is one to run.
type command struct {
	name string
	args []string
}

// commands returns the commands that a job needs, with their arguments.
func (j Job) commands() []command {
	var list []command
	if j.Applyconfig() {
		args := j.place(j.ApplyconfigName)
		args = append(args, "--openapi-schema", j.Models)
		if len(j.ApplyconfigExternals) > 0 {
			args = append(args, "--external-applyconfigurations", strings.Join(j.ApplyconfigExternals, ","))
		}
		list = append(list, command{"applyconfiguration-gen", j.inputs(args)})
	}
	list = append(list, command{"client-gen", j.clientset()})
	if !j.Watch() {
		return list
	}
	informers := append(j.place(j.InformersName), "--versioned-clientset-package",
		path.Join(j.Package, j.ClientsetName, j.VersionedName),
		"--listers-package", path.Join(j.Package, j.ListersName))
	if j.SingleDirectory {
		informers = append(informers, "--single-directory")
	}
	return append(list,
		command{"lister-gen", j.inputs(append(j.place(j.ListersName), j.plurals()...))},
		command{"informer-gen", j.inputs(append(informers, j.plurals()...))})
}

// clientset returns the arguments of client-gen.
func (j Job) clientset() []string {
	args := append(j.place(j.ClientsetName), "--clientset-name", j.VersionedName, "--input-base", "", "--input",
		strings.Join(j.APIs, ","))
	if j.Applyconfig() {
		args = append(args, "--apply-configuration-package", path.Join(j.Package, j.ApplyconfigName))
	}
	if j.PrefersProtobuf {
		args = append(args, "--prefers-protobuf")
	}
	return append(args, j.plurals()...)
}

// place returns the arguments for the output in a directory.
func (j Job) place(name string) []string {
	pkg := path.Join(j.Package, name)
	args := []string{"--go-header-file", j.Header}
	if j.old() {
		return append(args, "--output-base", j.out(), "--output-package", pkg)
	}
	return append(args, "--output-dir", filepath.Join(j.out(), filepath.FromSlash(pkg)), "--output-pkg", pkg)
}

// inputs adds the API packages.
func (j Job) inputs(args []string) []string {
	if j.old() {
		return append(args, "--input-dirs", strings.Join(j.APIs, ","))
	}
	return append(args, j.APIs...)
}

func (j Job) plurals() []string {
	if len(j.PluralExceptions) == 0 {
		return nil
	}
	return []string{"--plural-exceptions", strings.Join(j.PluralExceptions, ",")}
}
