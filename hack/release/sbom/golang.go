package sbom

import (
	"bytes"
	"debug/buildinfo"
	"encoding/base64"
	"encoding/hex"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/google/licensecheck"
	packageurl "github.com/package-url/packageurl-go"

	"github.com/flux-framework/flux-operator/hack/release/modules"
)

// golang adds the module of a Go program, those that it depends on, and Go itself. Other programs have no build
// information, and are a part of a package.
func (c *catalog) golang(data []byte) error {
	info, err := buildinfo.Read(bytes.NewReader(data))
	if err != nil {
		return nil //nolint:nilerr // not a Go program
	}
	main := module(&info.Main)
	if !strings.HasPrefix(main.Version, "v") { // (devel): the go command did not know of the version
		main = component(info.Main.Path, "v"+c.options.Version)
	}
	main.Kind, main.License = Application, "Apache-2.0"
	version, _, _ := strings.Cut(strings.TrimPrefix(info.GoVersion, "go"), " ")
	stdlib := component("stdlib", version)
	stdlib.License = "BSD-3-Clause"
	c.components = append(c.components, main, stdlib)
	for _, dep := range info.Deps {
		one := module(dep)
		switch {
		case modules.Local(dep): // of this repository, and released with it
			one = component(dep.Path, "v"+c.options.Version)
			one.License = "Apache-2.0"
		case c.options.Places.GOMODCACHE != "":
			dir, err := c.options.Places.Dir(dep)
			if err != nil {
				return err
			}
			if one.License, err = license(dir); err != nil {
				return err
			}
		}
		c.components = append(c.components, one)
	}
	return nil
}

func module(m *debug.Module) Component {
	if m.Replace != nil && !modules.Local(m) {
		m = m.Replace
	}
	one := component(m.Path, m.Version)
	if sum, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(m.Sum, "h1:")); err == nil && len(sum) == 32 {
		one.SHA256 = hex.EncodeToString(sum)
	}
	return one
}

func component(path, version string) Component {
	namespace, name := "", path
	if at := strings.LastIndexByte(path, '/'); at >= 0 {
		namespace, name = path[:at], path[at+1:]
	}
	// The specification of package URLs has modules in lower case.
	purl := packageurl.NewPackageURL(packageurl.TypeGolang, strings.ToLower(namespace), strings.ToLower(name), version,
		nil, "")
	return Component{Kind: Library, Name: path, Version: version, PURL: purl.ToString()}
}

// license returns the license of a module if it has one license file, and that has one license and little more.
func license(dir string) (string, error) {
	files, err := modules.Files(dir)
	if err != nil {
		return "", err
	}
	found := slices.DeleteFunc(files, func(name string) bool { return strings.HasPrefix(strings.ToUpper(name), "NOTICE") })
	if len(found) != 1 {
		return "", nil
	}
	text, err := os.ReadFile(filepath.Join(dir, found[0]))
	if err != nil {
		return "", err
	}
	const sure = 90 // percent of the words
	scanned := licensecheck.Scan(text)
	if scanned.Percent < sure {
		return "", nil
	}
	id := scanned.Match[0].ID
	if slices.ContainsFunc(scanned.Match, func(m licensecheck.Match) bool { return m.ID != id }) {
		return "", nil
	}
	return id, nil
}
