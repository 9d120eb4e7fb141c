// Package templates holds sdkgen's own mustache templates, of what depends on the API, and says
// which openapi-generator they belong to.
package templates

import "embed"

// FS has the templates of each language, in the directories Python and Go.
//
//go:embed all:python all:go
var FS embed.FS

// The directories of FS.
const (
	Python = "python"
	Go     = "go"
)

// The jar of openapi-generator that the templates are written for: the name of its file among the
// tools, and its checksum, in hex.
const (
	Jar       = "openapi-generator-cli-6.6.0.jar"
	JarSHA256 = "9718ff7844e89462c75dcd9b20a35136f6db257bfe1b874db1e3002e99de4609"
)
