package sbom

import (
	"bufio"
	"fmt"
	"net/textproto"
	"regexp"
	"strings"

	packageurl "github.com/package-url/packageurl-go"
	"go.yaml.in/yaml/v3"
)

// python adds a Python package, and its requirements if nothing of them is in the artifact.
func (c *catalog) python(metadata string, requirements bool) error {
	head, err := fields(metadata)
	if err != nil {
		return err
	}
	one := pypi(head.Get("Name"), head.Get("Version"))
	one.License = head.Get("License-Expression")
	c.components = append(c.components, one)
	if !requirements {
		return nil
	}
	for _, line := range head.Values("Requires-Dist") {
		if strings.Contains(line, "extra ==") {
			continue
		}
		found := requirement.FindStringSubmatch(line)
		if found == nil {
			return fmt.Errorf("%q is not a requirement", line)
		}
		needed := pypi(found[1], "")
		needed.Range = strings.Join(strings.Fields(strings.Trim(found[2], "() ")), " ")
		c.components = append(c.components, needed)
	}
	return nil
}

// requirement is a name, extras, and the rest of a requirement.
var requirement = regexp.MustCompile(`^\s*([A-Za-z0-9][A-Za-z0-9._-]*)\s*(?:\[[^\]]*\])?\s*(.*)$`)

func pypi(name, version string) Component {
	normal := strings.ToLower(separators.ReplaceAllString(name, "-"))
	purl := packageurl.NewPackageURL(packageurl.TypePyPi, "", normal, version, nil, "")
	return Component{Kind: Library, Name: normal, Version: version, PURL: purl.ToString()}
}

var separators = regexp.MustCompile(`[-_.]+`)

// debian adds a package of Debian.
func (c *catalog) debian(status string) error {
	head, err := fields(status)
	if err != nil {
		return err
	}
	name, version := head.Get("Package"), head.Get("Version")
	purl := packageurl.NewPackageURL(packageurl.TypeDebian, "debian", name, version,
		packageurl.Qualifiers{{Key: "arch", Value: head.Get("Architecture")}}, "")
	c.components = append(c.components,
		Component{Kind: Library, Name: name, Version: version, PURL: purl.ToString(), SHA256: head.Get("SHA256")})
	return nil
}

// wheels notes the hashes of the wheels that an image was made of.
func (c *catalog) wheels(requirements string) error {
	for line := range strings.Lines(requirements) {
		pin, sum, ok := strings.Cut(strings.TrimSpace(line), " --hash=sha256:")
		name, version, pinned := strings.Cut(pin, "==")
		if !ok || !pinned {
			return fmt.Errorf("%q has no version or no hash", strings.TrimSpace(line))
		}
		c.digests[pypi(name, version).PURL] = sum
	}
	return nil
}

// chart adds a chart, and the image that it installs.
func (c *catalog) chart(data []byte) error {
	var chart struct {
		Name, Version string
		AppVersion    string `yaml:"appVersion"`
	}
	if err := yaml.Unmarshal(data, &chart); err != nil {
		return err
	}
	helm := packageurl.NewPackageURL("helm", "", chart.Name, chart.Version, nil, "")
	image := packageurl.NewPackageURL(packageurl.TypeOCI, "", chart.Name, "", packageurl.Qualifiers{
		{Key: "repository_url", Value: "ghcr.io/flux-framework/" + chart.Name}, {Key: "tag", Value: chart.AppVersion},
	}, "")
	c.components = append(c.components,
		Component{Kind: Application, Name: chart.Name, Version: chart.Version, PURL: helm.ToString(), License: "Apache-2.0"},
		Component{Kind: Container, Name: "ghcr.io/flux-framework/" + chart.Name, Version: chart.AppVersion,
			PURL: image.ToString(), License: "Apache-2.0"})
	return nil
}

// fields reads lines of keys and values, up to an empty one.
func fields(text string) (textproto.MIMEHeader, error) {
	head, _, _ := strings.Cut(strings.ReplaceAll(text, "\r\n", "\n"), "\n\n")
	r := textproto.NewReader(bufio.NewReader(strings.NewReader(head + "\n\n")))
	found, err := r.ReadMIMEHeader()
	if err != nil {
		return nil, fmt.Errorf("reading keys and values: %w", err)
	}
	return found, nil
}
