// Package debian makes the base of the Python images from packages of Debian, which are pinned by their hash: the
// Python of that release, its libraries, the CA certificates, and neither a shell nor a package manager.
//
// A base from a registry would hold a shell, apt and perl as well, and would need the registry to be built or
// inspected.
//
// # Renewal
//
// packages.txt says which packages they are, in which version, and their SHA-256. `make images ARGS=--renew-base` asks
// Debian for the versions of today, and writes the file. Debian's mirrors keep the newest version only: if a pinned one
// is gone, Fetch says so. Either renew, or pass --mirror with the address of an archive that keeps old versions.
package debian

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/flux-framework/flux-operator/hack/release/layer"
)

const (
	// Suite is the release of Debian.
	Suite = "trixie"
	// Python is the command in the image, and Version what it is a version of.
	Python, Version = "/usr/bin/python3.13", "3.13"
	// Glibc is the minor version of the C library, glibc 2.41. Wheels may need it or an older one.
	Glibc = 41
)

//go:embed packages.txt
var pinned string

// Package is a pinned package.
type Package struct{ Arch, Name, Version, SHA256 string }

// Base fetches packages and unpacks them.
type Base struct {
	Cache  string // directory in which packages are kept, by hash
	Mirror string // address of a mirror, empty for debootstrap's own
	// Pins replaces packages.txt, if it is set.
	Pins string
}

// Packages returns the pinned packages of an architecture.
func (b *Base) Packages(arch string) ([]Package, error) {
	pins := b.Pins
	if pins == "" {
		pins = pinned
	}
	var found []Package
	lines := bufio.NewScanner(strings.NewReader(pins))
	for number := 1; lines.Scan(); number++ {
		text, _, _ := strings.Cut(lines.Text(), "#")
		fields := strings.Fields(text)
		switch {
		case len(fields) == 0:
		case len(fields) != 4 || len(fields[3]) != 2*sha256.Size:
			return nil, fmt.Errorf("packages.txt:%d: want architecture, name, version and SHA-256; renew it with --renew-base",
				number)
		case fields[0] == arch:
			found = append(found, Package{fields[0], fields[1], fields[2], fields[3]})
		}
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("packages.txt has no package for %s", arch)
	}
	return found, lines.Err()
}

// Tree returns the files of the base.
func (b *Base) Tree(ctx context.Context, arch string) (layer.Tree, error) {
	packages, err := b.Packages(arch)
	if err != nil {
		return nil, err
	}
	if err := b.fetch(ctx, arch, packages); err != nil {
		return nil, err
	}
	tree := layer.Tree{}
	for _, p := range packages {
		if err := b.unpack(ctx, tree, p); err != nil {
			return nil, fmt.Errorf("unpacking %s %s: %w", p.Name, p.Version, err)
		}
	}
	return tree, finish(tree)
}

func (b *Base) path(p Package) string { return filepath.Join(b.Cache, p.SHA256+".deb") }

// fetch puts the packages into the cache, and checks those that are there.
func (b *Base) fetch(ctx context.Context, arch string, packages []Package) error {
	missing := slices.DeleteFunc(slices.Clone(packages), func(p Package) bool {
		sum, err := hash(b.path(p))
		return err == nil && sum == p.SHA256
	})
	if len(missing) == 0 {
		return nil
	}
	scratch, err := b.download(ctx, arch)
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch) //nolint:errcheck // what stays is in a directory for temporary files
	offered, err := archives(scratch)
	if err != nil {
		return err
	}
	for _, p := range missing {
		file, ok := offered[p.SHA256]
		if !ok {
			return fmt.Errorf("the mirror no longer has %s %s for %s as pinned in packages.txt: renew it with "+
				"--renew-base, or pass --mirror with the address of an archive of old versions", p.Name, p.Version, arch)
		}
		if err := os.Rename(file, b.path(p)); err != nil {
			return err
		}
	}
	return nil
}

// download has debootstrap, which checks signatures, fetch all that a minimal system with Python would have.
func (b *Base) download(ctx context.Context, arch string) (dir string, err error) {
	debootstrap, err := exec.LookPath("debootstrap")
	if err != nil {
		for _, debootstrap = range []string{"/usr/sbin/debootstrap", "/sbin/debootstrap"} {
			if _, err = os.Stat(debootstrap); err == nil {
				break
			}
		}
	}
	if err != nil {
		return "",
			errors.New("debootstrap is not installed, which fetches the base of the Python images: apt-get install debootstrap")
	}
	if err := os.MkdirAll(b.Cache, 0o755); err != nil {
		return "", err
	}
	if dir, err = os.MkdirTemp(b.Cache, "download-"); err != nil {
		return "", err
	}
	args := []string{"--download-only", "--force-check-gpg", "--variant=minbase", "--arch=" + arch,
		"--include=" + strings.Join(names, ","), Suite, dir}
	if b.Mirror != "" {
		args = append(args, b.Mirror)
	}
	if out, err := exec.CommandContext(ctx, debootstrap, args...).CombinedOutput(); err != nil {
		return "", errors.Join(fmt.Errorf("debootstrap %s: %w:\n%s", strings.Join(args, " "), err, tail(out)),
			os.RemoveAll(dir))
	}
	return dir, nil
}

// archives returns the packages that debootstrap downloaded, by hash.
func archives(scratch string) (map[string]string, error) {
	files, err := filepath.Glob(filepath.Join(scratch, "var/cache/apt/archives/*.deb"))
	found := map[string]string{}
	for _, file := range files {
		sum, err := hash(file)
		if err != nil {
			return nil, err
		}
		found[sum] = file
	}
	return found, err
}

// Renew returns packages.txt with the versions that the mirror has now.
func (b *Base) Renew(ctx context.Context, arches ...string) (string, error) {
	var out strings.Builder
	fmt.Fprintf(&out, header, Suite)
	for _, arch := range arches {
		scratch, err := b.download(ctx, arch)
		if err != nil {
			return "", err
		}
		lines, err := b.pins(ctx, scratch, arch)
		if err := errors.Join(err, os.RemoveAll(scratch)); err != nil {
			return "", err
		}
		fmt.Fprintln(&out, strings.Join(lines, "\n"))
	}
	return out.String(), nil
}

const header = `# The packages of Debian %s in the base of the Python images: architecture, name, version, SHA-256.
# Written by: make images ARGS=--renew-base
`

func (b *Base) pins(ctx context.Context, scratch, arch string) ([]string, error) {
	offered, err := archives(scratch)
	if err != nil {
		return nil, err
	}
	var lines []string
	for sum, file := range offered {
		out, err := dpkg(ctx, "--show", "--showformat=${Package} ${Version}", file)
		if err != nil {
			return nil, err
		}
		if name, version, _ := strings.Cut(string(out), " "); slices.Contains(names, name) {
			lines = append(lines, fmt.Sprintf("%s %s %s %s", arch, name, version, sum))
			if err := os.Rename(file, b.path(Package{SHA256: sum})); err != nil {
				return nil, err
			}
		}
	}
	if len(lines) != len(names) {
		return nil, fmt.Errorf("the mirror has %d of the %d packages for %s", len(lines), len(names), arch)
	}
	slices.Sort(lines)
	return lines, nil
}

// unpack adds the files of a package, and what dpkg would know of it. Scanners look for that in status.d.
func (b *Base) unpack(ctx context.Context, tree layer.Tree, p Package) error {
	files, err := dpkg(ctx, "--fsys-tarfile", b.path(p))
	if err != nil {
		return err
	}
	if err := tree.Read(bytes.NewReader(files), wanted); err != nil {
		return err
	}
	control, err := dpkg(ctx, "--field", b.path(p))
	if err != nil {
		return err
	}
	status := strings.TrimRight(string(control), "\n") + "\nSHA256: " + p.SHA256 + "\nStatus: install ok installed\n"
	return tree.Add("var/lib/dpkg/status.d/"+p.Name, layer.File{Mode: 0o644, Data: []byte(status)})
}

func dpkg(ctx context.Context, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "dpkg-deb", args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("dpkg-deb %s: %w: %s", args[0], err, tail(stderr.Bytes()))
	}
	return out, nil
}

func hash(file string) (string, error) {
	data, err := os.ReadFile(file)
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:]), err
}

func tail(out []byte) string {
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	return strings.Join(lines[max(0, len(lines)-10):], "\n")
}

// file is a regular file that all may read.
func file(text string) layer.File { return layer.File{Mode: 0o644, Data: []byte(text)} }

// directory is one that all may write to, but in which only the owner may remove a file.
var directory = layer.File{Mode: fs.ModeDir | fs.ModeSticky | 0o777}
