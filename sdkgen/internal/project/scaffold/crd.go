package scaffold

import (
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// crdOption is an option of controller-gen's generator crd, as a project calls it.
type crdOption struct {
	name, value string
	at          call
	bad         string // why sdkgen.yaml cannot have it; "" if it can
}

// switches are the options that are true or false.
var switches = []string{
	"allowDangerousTypes", "deprecatedV1beta1CompatibilityPreserveUnknownFields", "generateEmbeddedObjectMeta",
	"ignoreUnexportedFields", "omitToolVersion",
}

// implied are options that change nothing: sdkgen writes CRDs of version v1, each with all of its versions.
var implied = []string{"crdVersions", "trivialVersions"}

// crdOptions returns the options of the generator crd in the order in which they are found, each once. A value that is
// the default is left out.
func (p *project) crdOptions() []crdOption {
	var options []crdOption
	for _, c := range p.calls {
		for _, name := range c.names {
			if c.generator != "crd" || slices.Contains(implied, name) {
				continue
			}
			o := p.crdOption(c, name)
			i := slices.IndexFunc(options, func(other crdOption) bool { return other.name == name })
			switch {
			case i < 0:
				options = append(options, o)
			case options[i].value != o.value && options[i].bad == "":
				options[i].bad = fmt.Sprintf("%s:%d gives it another value, and sdkgen.yaml has one for all CRDs",
					o.at.pos.Filename, o.at.pos.Line)
			}
		}
	}
	return slices.DeleteFunc(options, func(o crdOption) bool {
		return o.bad == "" && o.value == "false" && o.name != "deprecatedV1beta1CompatibilityPreserveUnknownFields"
	})
}

var yearValue = regexp.MustCompile(`^[0-9]{4}([-, ]+[0-9]{4})*$`)

// crdOption reads one option of a call.
func (p *project) crdOption(c call, name string) crdOption {
	o := crdOption{name: name, value: c.options[name], at: c}
	isSwitch := slices.Contains(switches, name)
	if o.value == "" && isSwitch {
		o.value = "true"
	}
	switch _, err := strconv.ParseUint(o.value, 10, 31); {
	case strings.Contains(o.value, "$"):
		o.bad = "its value is known at run time only"
	case isSwitch && o.value != "true" && o.value != "false", name == "maxDescLen" && err != nil,
		name == "year" && !yearValue.MatchString(o.value):
		o.bad = fmt.Sprintf("its value is %q", o.value)
	case name == "deprecatedV1beta1CompatibilityPreserveUnknownFields" && o.value == "true":
		o.bad = "the API server refuses such a CRD"
	case name == "headerFile":
		o.value = c.resolve(o.value)
		if info, err := fs.Stat(p.tree, o.value); err != nil || !info.Mode().IsRegular() {
			o.bad = "there is no file " + o.value
		}
	case !isSwitch && name != "maxDescLen" && name != "year":
		o.bad = "sdkgen has no key for it"
	}
	return o
}

// unreadable returns the options that sdkgen.yaml cannot have: without them the CRDs would become others.
func (p *project) unreadable() []crdOption {
	return slices.DeleteFunc(p.crdOptions(), func(o crdOption) bool { return o.bad == "" })
}

// adviseCRDs reports the options that sdkgen.yaml cannot have.
func (p *project) adviseCRDs() {
	for _, o := range p.unreadable() {
		p.note(o.at.pos, "leave crd out in "+p.opts.Config+
			" and keep controller-gen for the CRDs, or add the option there by hand",
			"the CRDs would differ: controller-gen's option crd:%s is not in %s: %s", o.name, p.opts.Config, o.bad)
	}
}

// crdDir is where the project's CRDs are.
func (p *project) crdDir() string {
	for _, c := range p.calls {
		if c.generator == "crd" {
			if dir := p.directory(c); dir != "" {
				return dir
			}
		}
	}
	return "config/crd/bases"
}

// renderCRD is the section for CRDs; without directory it has the options that also affect the SDKs.
func (p *project) renderCRD() string {
	text, off := "crd:\n  dir: "+p.crdDir()+"\n", ""
	if !p.takesOver() {
		text = "crd:\n"
	}
	lines := 0
	for _, o := range p.crdOptions() {
		switch {
		case !p.takesOver() && o.name != "allowDangerousTypes" && o.name != "ignoreUnexportedFields":
		case o.bad == "":
			text += "  " + o.name + ": " + o.value + "\n"
			lines++
		case off == "":
			off = fmt.Sprintf("%s:%d gives controller-gen the option %s; %s", o.at.pos.Filename, o.at.pos.Line, o.name, o.bad)
		}
	}
	switch {
	case p.takesOver():
		return section("The CustomResourceDefinitions.", text, off)
	case p.opts.SDKOnly && lines > 0:
		return section("controller-gen's options that affect the API's schema.", text, off)
	}
	return ""
}

// adoptedCRDs returns the CRDs that generate would replace.
func (p *project) adoptedCRDs() []string {
	if len(p.unreadable()) > 0 {
		return nil
	}
	var files []string
	for _, group := range p.groups() {
		found, err := fs.Glob(p.tree, path.Join(p.crdDir(), group+"_*.yaml"))
		if err == nil {
			files = append(files, found...)
		}
	}
	return files
}
