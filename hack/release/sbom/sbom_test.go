package sbom_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	cyclonedx "github.com/CycloneDX/cyclonedx-go"
	spdxjson "github.com/spdx/tools-golang/json"
	"github.com/spdx/tools-golang/spdxlib"

	"github.com/flux-framework/flux-operator/hack/release/images"
	"github.com/flux-framework/flux-operator/hack/release/modules"
	"github.com/flux-framework/flux-operator/hack/release/sbom"
)

var slow = flag.Bool("slow", false,
	"build an image and a virtual environment of the same packages, which takes minutes")

var date = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// describe writes the documents of a file, checks that they are valid and say the same, and returns the purls in them.
func describe(t *testing.T, file string) (*sbom.Document, []string) {
	t.Helper()
	o := sbom.Options{Artifacts: []string{file}, Version: "0.9.7", Date: date, Out: t.TempDir(), Places: places(t)}
	paths, err := sbom.Write(t.Context(), o)
	if err != nil || len(paths) != 2 {
		t.Fatalf("%v, %v", paths, err)
	}
	first := read(t, paths)
	for range 3 {
		if _, err := sbom.Write(t.Context(), o); err != nil {
			t.Fatal(err)
		}
		if !slices.EqualFunc(read(t, paths), first, bytes.Equal) {
			t.Fatal("written again, the documents are different")
		}
	}
	if keep := os.Getenv("SBOM_DIR"); keep != "" {
		for i, path := range paths {
			if err := os.WriteFile(filepath.Join(keep, filepath.Base(path)), first[i], 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	cdx, spdx := cyclonedxPURLs(t, first[0]), spdxPURLs(t, first[1])
	if !slices.Equal(cdx, spdx) {
		t.Errorf("CycloneDX names %q, SPDX %q", cdx, spdx)
	}
	document, err := o.Describe(file)
	if err != nil {
		t.Fatal(err)
	}
	return document, cdx
}

func read(t *testing.T, paths []string) [][]byte {
	t.Helper()
	var all [][]byte
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, data)
	}
	return all
}

func cyclonedxPURLs(t *testing.T, data []byte) []string {
	t.Helper()
	var bom cyclonedx.BOM
	if err := cyclonedx.NewBOMDecoder(bytes.NewReader(data), cyclonedx.BOMFileFormatJSON).Decode(&bom); err != nil {
		t.Fatal(err)
	}
	if bom.SpecVersion != cyclonedx.SpecVersion1_6 || bom.Metadata.Timestamp != "2026-01-02T03:04:05Z" {
		t.Errorf("version %s, time %s", bom.SpecVersion, bom.Metadata.Timestamp)
	}
	var purls []string
	for _, c := range *bom.Components {
		purls = append(purls, c.PackageURL)
	}
	return purls
}

func spdxPURLs(t *testing.T, data []byte) []string {
	t.Helper()
	document, err := spdxjson.Read(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if err := spdxlib.ValidateDocument(document); err != nil {
		t.Error(err)
	}
	if document.SPDXVersion != "SPDX-2.3" || document.CreationInfo.Created != "2026-01-02T03:04:05Z" {
		t.Errorf("version %s, time %s", document.SPDXVersion, document.CreationInfo.Created)
	}
	var purls []string
	for _, p := range document.Packages {
		for _, reference := range p.PackageExternalReferences {
			purls = append(purls, reference.Locator)
		}
	}
	return purls
}

func places(t *testing.T) modules.Places {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "env", "-json", "GOMODCACHE", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	var found modules.Places
	if err := json.Unmarshal(out, &found); err != nil {
		t.Fatal(err)
	}
	return found
}

// TestProgram compares the components of a Go program, the release command, with what go version -m prints of it.
func TestProgram(t *testing.T) {
	program := filepath.Join(t.TempDir(), "release")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-buildvcs=false", "-o", program,
		"..").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	out, err := exec.CommandContext(t.Context(), "go", "version", "-m", program).Output()
	if err != nil {
		t.Fatal(err)
	}
	first, rest, _ := strings.Cut(string(out), "\n")
	want := []string{"pkg:golang/stdlib@" + strings.TrimPrefix(first[strings.LastIndex(first, " ")+1:], "go")}
	for line := range strings.Lines(rest) {
		switch f := strings.Fields(line); f[0] {
		case "mod":
			want = append(want, "pkg:golang/"+f[1]+"@v0.9.7") // (devel): the release's
		case "dep":
			want = append(want, strings.ToLower("pkg:golang/"+f[1])+"@"+f[2])
		case "=>":
			t.Errorf("a module is replaced: %s", line)
		}
	}
	slices.Sort(want)
	document, purls := describe(t, program)
	slices.Sort(purls)
	if !slices.Equal(purls, want) || len(want) < 8 {
		t.Errorf("got  %q\nwant %q", purls, want)
	}
	licensed := 0
	for _, c := range document.Components {
		if c.License != "" {
			licensed++
		}
		if strings.HasPrefix(c.Name, "golang.org/x/mod") && (c.License != "BSD-3-Clause" || len(c.SHA256) != 64) {
			t.Errorf("%+v", c)
		}
	}
	if licensed < len(purls)/2 {
		t.Errorf("%d of %d components have a license", licensed, len(purls))
	}
}

// TestWheel reads the requirements of a wheel.
func TestWheel(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a_b-1.2-py3-none-any.whl")
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	member, err := w.Create("a_b-1.2.dist-info/METADATA")
	if err != nil {
		t.Fatal(err)
	}
	const metadata = "Metadata-Version: 2.4\nName: A_b\nVersion: 1.2\nLicense-Expression: MIT\nRequires-Dist: PyYAML>=6\n" +
		"Requires-Dist: kubernetes<38,>=29\nRequires-Dist: pytest ; extra == 'test'\n\nVersion: of the text\n"
	if _, err := member.Write([]byte(metadata)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	document, purls := describe(t, file)
	if want := []string{"pkg:pypi/a-b@1.2", "pkg:pypi/kubernetes", "pkg:pypi/pyyaml"}; !slices.Equal(purls, want) {
		t.Errorf("got %q, want %q", purls, want)
	}
	if c := document.Components[1]; c.Range != "<38,>=29" || c.Version != "" {
		t.Errorf("%+v", c)
	}
}

// TestImage compares the components of a Python image with what pip says of an environment with the same requirements.
func TestImage(t *testing.T) {
	if !*slow {
		t.Skip("only with -slow, as in `make test-all ONLY=images`: it builds an image")
	}
	if _, err := exec.LookPath("debootstrap"); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip("debootstrap is not installed: apt-get install debootstrap")
	}
	built, err := images.Write(t.Context(), images.Options{
		Root: "../../..", Version: "0.9.7", Date: date, Out: t.TempDir(), Only: []string{"copyrator"},
		Arches: []string{"amd64"},
	})
	if err != nil {
		t.Fatal(err)
	}
	document, purls := describe(t, built[0])
	for _, c := range document.Components {
		if len(c.SHA256) != 64 {
			t.Errorf("%s has no hash", c.PURL)
		}
	}
	isPython := func(purl string) bool { return strings.HasPrefix(purl, "pkg:pypi/") }
	var got []string
	for _, purl := range purls {
		if isPython(purl) {
			got = append(got, purl)
		} else if !strings.HasPrefix(purl, "pkg:deb/debian/") {
			t.Errorf("%s is neither from Debian nor from PyPI", purl)
		}
	}
	if want := installed(t, "../../../examples/operators/copyrator"); !slices.Equal(got, want) {
		t.Errorf("the image has %q\npip lists     %q", got, want)
	}
	if debs := len(purls) - len(got); debs != 25 {
		t.Errorf("%d packages of Debian, want 25", debs)
	}
}

// installed returns what pip lists in an environment with an operator's requirements, its SDK and itself.
func installed(t *testing.T, project string) []string {
	t.Helper()
	venv := filepath.Join(t.TempDir(), "venv")
	pip := filepath.Join(venv, "bin", "pip")
	for _, args := range [][]string{
		{"python3", "-m", "venv", venv},
		{pip, "install", "--quiet", "--require-hashes", "--no-deps", "-r", filepath.Join(project, "requirements.txt")},
		{pip, "install", "--quiet", "--no-deps", filepath.Join(project, "sdk/python"), project},
	} {
		if out, err := exec.CommandContext(t.Context(), args[0], args[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %v: %s", args, err, out)
		}
	}
	out, err := exec.CommandContext(t.Context(), pip, "list", "--format=json").Output()
	if err != nil {
		t.Fatal(err)
	}
	var listed []struct{ Name, Version string }
	if err := json.Unmarshal(out, &listed); err != nil {
		t.Fatal(err)
	}
	var purls []string
	for _, p := range listed {
		name := strings.NewReplacer("_", "-", ".", "-").Replace(strings.ToLower(p.Name))
		if name != "pip" && name != "setuptools" {
			purls = append(purls, "pkg:pypi/"+name+"@"+p.Version)
		}
	}
	slices.Sort(purls)
	return purls
}

// TestNothing refuses a file in which nothing is found.
func TestNothing(t *testing.T) {
	file := filepath.Join(t.TempDir(), "notes.txt")
	if err := os.WriteFile(file, []byte("notes"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := sbom.Write(t.Context(), sbom.Options{Artifacts: []string{file}, Version: "1", Date: date, Out: t.TempDir()})
	if err == nil || !strings.Contains(err.Error(), "describing notes.txt: it has no Go program") {
		t.Error(err)
	}
}
