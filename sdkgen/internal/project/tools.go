package project

import (
	"github.com/flux-framework/flux-operator/sdkgen/internal/config"
	"github.com/flux-framework/flux-operator/sdkgen/internal/project/order"
)

// Tools returns the directory that the jar and Java are looked for in, absolute, where the
// configuration says nothing of them.
func (p *Project) Tools() string { return order.ToolsDir(p.in.Env) }

// Java returns the java program that would run the jar, and its major version.
func (p *Project) Java() (program string, version int, err error) {
	return order.FindJava(p.in)
}

// Jar returns the jar's path, and an error if it is missing or not the pinned one.
func (p *Project) Jar() (string, error) {
	return order.FindJar(p.in)
}

// NeedsJava says whether an SDK is made by the jar.
func (p *Project) NeedsJava() bool {
	return p.in.Config.Engine == config.OpenAPIGenerator && (p.in.Config.Python != nil || p.in.Config.Go != nil)
}
