// Package version has the rule for the number of a release.
package version

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"
)

// written are the versions that a Go module and a Python package can have alike.
var written = regexp.MustCompile(`^v(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-(alpha|beta|rc)\.(0|[1-9]\d*))?$`)

// Valid returns an error unless a tag is that of a version that can be released.
func Valid(tag string) error {
	if !written.MatchString(tag) {
		return fmt.Errorf("%s is not a version; write MAJOR.MINOR.PATCH, such as 0.4.0, or 0.4.0-rc.1 (alpha, beta, rc)",
			strings.Replace(tag, "v", "", 1))
	}
	return nil
}

// Importable returns an error unless the Go module in a directory can have a version: from v2 on, its path ends in /v2.
func Importable(dir, tag string) error {
	data, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		return err
	}
	path := modfile.ModulePath(data)
	_, major, _ := module.SplitPathVersion(path)
	if err := module.CheckPathMajor(tag, major); err != nil {
		return fmt.Errorf("the Go modules have to be renamed before a release of %s, here to %s/%s: %w", tag, path,
			semver.Major(tag), err)
	}
	return nil
}

// Check returns an error unless the version to release may follow the last one. Both are written as
// tags are, v1.2.3; last is empty before the first release. The rule is that of Semantic Versioning:
//
//   - The version is higher than the last one.
//   - From 1.0.0 on, a breaking change needs a new major version.
//   - Before 1.0.0, a breaking change needs a new minor version; 1.0.0 itself will do as well.
//   - A pre-release, v1.2.3-rc.1, is held to the rule of its release, v1.2.3.
func Check(last, next string, breaking bool) error {
	if err := Valid(next); err != nil {
		return err
	}
	switch {
	case last == "":
		return nil
	case !semver.IsValid(last):
		return fmt.Errorf("the last release, %s, is not a version", last)
	case semver.Compare(next, last) <= 0:
		return fmt.Errorf("%s is not higher than the last release, %s", next, last)
	case !breaking || semver.Major(next) != semver.Major(last):
		return nil
	case semver.Major(last) != "v0":
		return fmt.Errorf("a breaking change since %s needs a new major version, and %s is not one", last, next)
	case semver.MajorMinor(next) == semver.MajorMinor(last):
		return fmt.Errorf("a breaking change since %s needs a new minor version, and %s is not one", last, next)
	}
	return nil
}
