package images_test

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/validate"

	"github.com/flux-framework/flux-operator/hack/release/images"
	"github.com/flux-framework/flux-operator/hack/release/repo"
)

var slow = flag.Bool("slow", false, "build images, which takes minutes, and run them, which needs root")

// date is the images' time of creation, whatever the time of HEAD.
var date = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

const version = "0.9.7"

// needs says why a test does not run. With CI=true, only a missing -slow is a reason: make test-all ONLY=images has it.
func needs(t *testing.T, programs ...string) {
	t.Helper()
	if !*slow {
		t.Skip("only with -slow, as in `make test-all ONLY=images`: it builds images")
	}
	for _, program := range programs {
		if _, err := exec.LookPath(program); err != nil {
			reason := fmt.Sprintf("%s is not installed: apt-get install %[1]s", program)
			if os.Getenv("CI") == "true" {
				t.Fatal(reason)
			}
			t.Skip(reason)
		}
	}
}

// copied is what checkout made.
var copied string

func TestMain(m *testing.M) {
	code := m.Run()
	if copied != "" {
		os.RemoveAll(copied)
	}
	os.Exit(code)
}

// checkout is a copy of the repository, so that two builds have one commit even if the work tree changes.
var checkout = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "repository-")
	if err != nil {
		return "", err
	}
	copied = dir
	_, err = (&repo.Repo{Dir: "../../..", Env: os.Environ()}).Snapshot(context.Background(), version, dir)
	return dir, err
})

// build builds images and returns their paths.
func build(t *testing.T, arches []string, names ...string) []string {
	t.Helper()
	root, err := checkout()
	if err != nil {
		t.Fatal(err)
	}
	paths, err := images.Write(t.Context(), images.Options{
		Root: root, Version: version, Date: date, Out: t.TempDir(), Only: names, Arches: arches,
		Log: slog.New(slog.NewTextHandler(t.Output(), nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	return paths
}

// entry is a file of an image, without its content if it is large and not a program.
type entry struct {
	*tar.Header
	layer int
	data  []byte
}

// open reads an archive, checks what is common to all images, and returns its configuration and its files.
func open(t *testing.T, path, arch string) (v1.Config, map[string]entry) {
	t.Helper()
	img, err := tarball.ImageFromPath(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := validate.Image(img); err != nil {
		t.Errorf("%s: %v", path, err)
	}
	file, err := img.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	if file.OS != "linux" || file.Architecture != arch || !file.Created.Equal(date) {
		t.Errorf("%s is for %s/%s, of %s", path, file.OS, file.Architecture, file.Created)
	}
	layout(t, path, img)
	files := map[string]entry{}
	layers, err := img.Layers()
	if err != nil {
		t.Fatal(err)
	}
	for number, layer := range layers {
		readLayer(t, layer, number, files)
	}
	for name, f := range files {
		common(t, name, f)
	}
	return file.Config, files
}

// layout checks that the archive's OCI index names the same image as Docker's list, which tarball reads.
func layout(t *testing.T, path string, img v1.Image) {
	t.Helper()
	blobs := map[string][]byte{}
	in, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	each(t, in, func(h *tar.Header, data []byte) { blobs[h.Name] = data })
	var index v1.IndexManifest
	if err := json.Unmarshal(blobs["index.json"], &index); err != nil || len(index.Manifests) != 1 {
		t.Fatalf("index.json: %s, %v", blobs["index.json"], err)
	}
	manifest := blobs["blobs/sha256/"+index.Manifests[0].Digest.Hex]
	if sum := sha256.Sum256(manifest); hex.EncodeToString(sum[:]) != index.Manifests[0].Digest.Hex {
		t.Error("index.json names a manifest that is not there")
	}
	var listed v1.Manifest
	if err := json.Unmarshal(manifest, &listed); err != nil {
		t.Fatal(err)
	}
	config, err := img.ConfigName()
	if err != nil || listed.Config.Digest != config {
		t.Errorf("the manifest of the OCI layout has the configuration %v, Docker's list %v, %v", listed.Config.Digest,
			config, err)
	}
	for _, key := range []string{"title", "source", "version", "revision", "licenses"} {
		if listed.Annotations["org.opencontainers.image."+key] == "" {
			t.Errorf("the manifest has no annotation %s", key)
		}
	}
}

func readLayer(t *testing.T, layer v1.Layer, number int, files map[string]entry) {
	t.Helper()
	in, err := layer.Compressed()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	unzipped, err := gzip.NewReader(in)
	if err != nil {
		t.Fatal(err)
	}
	last := ""
	each(t, unzipped, func(h *tar.Header, data []byte) {
		name := strings.TrimSuffix(h.Name, "/")
		if name <= last {
			t.Errorf("%s comes after %s", name, last)
		}
		last = name
		if old, exists := files[name]; exists && h.Typeflag != tar.TypeDir {
			t.Errorf("%s is in the layers %d and %d", name, old.layer, number)
		}
		files[name] = entry{h, number, data}
	})
}

func each(t *testing.T, in io.Reader, visit func(*tar.Header, []byte)) {
	t.Helper()
	for r := tar.NewReader(in); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		visit(h, data)
	}
}

// common checks what holds for every file of every image.
func common(t *testing.T, name string, f entry) {
	t.Helper()
	shells := []string{"sh", "bash", "dash", "ash", "ksh", "zsh", "busybox", "apt", "dpkg", "perl", "curl", "wget"}
	switch {
	case f.Uid != 0 || f.Gid != 0 || f.Uname != "" || f.Gname != "" || !f.ModTime.Equal(time.Unix(0, 0)):
		t.Errorf("%s belongs to %d:%d (%s:%s), of %s", name, f.Uid, f.Gid, f.Uname, f.Gname, f.ModTime)
	case f.Mode&0o6000 != 0:
		t.Errorf("%s is setuid or setgid: %o", name, f.Mode)
	case f.Typeflag != tar.TypeSymlink && f.Mode&0o002 != 0 && name != "tmp":
		t.Errorf("%s can be written by all: %o", name, f.Mode)
	case slices.Contains(shells, filepath.Base(name)) && f.Typeflag != tar.TypeDir:
		t.Errorf("%s is in the image", name)
	}
}

// executables returns the files with an executable bit, sorted.
func executables(files map[string]entry) []string {
	var found []string
	for name, f := range files {
		if f.Typeflag == tar.TypeReg && f.Mode&0o111 != 0 {
			found = append(found, name)
		}
	}
	slices.Sort(found)
	return found
}

// inside runs a command as the image's user in its files, read-only but for /tmp.
func inside(t *testing.T, files map[string]entry, config v1.Config, command ...string) string {
	t.Helper()
	root := t.TempDir()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		unpack(t, filepath.Join(root, name), files[name])
	}
	if err := os.MkdirAll(filepath.Join(root, "tmp"), 0o777); err != nil { // the volume of the Deployment
		t.Fatal(err)
	}
	script := `mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && mount -t tmpfs -o mode=1777 tmpfs "$0/tmp" &&
		exec env -i "${@:3:$1}" "$(PATH=$PATH:/usr/sbin command -v chroot)" --userspec="$2" "$0" "${@:3+$1}"`
	args := slices.Concat([]string{"unshare", "-m", "bash", "-c", script, root, fmt.Sprint(len(config.Env)), config.User},
		config.Env, command)
	if os.Getuid() != 0 {
		args = append([]string{"sudo", "-n"}, args...)
	}
	out, err := exec.CommandContext(t.Context(), args[0], args[1:]...).CombinedOutput()
	if err != nil {
		t.Errorf("%s: %v: %s", strings.Join(command, " "), err, out)
	}
	return string(out)
}

func unpack(t *testing.T, path string, f entry) {
	t.Helper()
	err := os.MkdirAll(filepath.Dir(path), 0o755)
	switch {
	case err != nil:
	case f.Typeflag == tar.TypeDir:
		err = os.MkdirAll(path, 0o755)
	case f.Typeflag == tar.TypeSymlink:
		err = os.Symlink(f.Linkname, path)
	default:
		err = os.WriteFile(path, f.data, os.FileMode(f.Mode).Perm())
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestRepeatable builds again from another directory, with another umask, time zone, locale and directory for temporary
// files.
func TestRepeatable(t *testing.T) {
	needs(t, "debootstrap")
	names := []string{"flux-operator", "copyrator"}
	first := build(t, []string{"amd64"}, names...)
	root, err := checkout()
	if err != nil {
		t.Fatal(err)
	}
	elsewhere := filepath.Join(t.TempDir(), "a", "longer", "path")
	if _, err := (&repo.Repo{Dir: root, Env: os.Environ()}).Snapshot(t.Context(), "1.1.1", elsewhere); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TZ", "Asia/Kathmandu")
	t.Setenv("LC_ALL", "C")
	t.Setenv("TMPDIR", t.TempDir())
	t.Setenv("GOFLAGS", "-tags=other")
	t.Setenv("SOURCE_DATE_EPOCH", "1")
	t.Setenv("PYTHONHASHSEED", "42")
	defer syscall.Umask(syscall.Umask(0o077))
	second, err := images.Write(t.Context(), images.Options{
		Root: elsewhere, Version: version, Date: date.In(time.FixedZone("there", 3600)), Out: t.TempDir(), Only: names,
		Arches: []string{"amd64"},
	})
	if err != nil {
		t.Fatal(err)
	}
	for i := range first {
		a, b := sum(t, first[i]), sum(t, second[i])
		if a != b {
			t.Errorf("%s: built twice, SHA-256 %s and %s", filepath.Base(first[i]), a, b)
		}
		t.Logf("%s %s", a, filepath.Base(first[i]))
	}
}

func sum(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	hash := sha256.Sum256(data)
	return hex.EncodeToString(hash[:])
}

// TestOptions checks the errors that need no build.
func TestOptions(t *testing.T) {
	whole := images.Options{Root: ".", Version: version, Date: date, Out: t.TempDir()}
	for want, change := range map[string]func(*images.Options){
		"images need a root":               func(o *images.Options) { o.Version = "" },
		`there is no image "flux"; images`: func(o *images.Options) { o.Only = []string{"flux"} },
		"there are no images for s390x":    func(o *images.Options) { o.Arches = []string{"s390x"} },
		"git log in ":                      func(o *images.Options) { o.Root = t.TempDir() },
	} {
		o := whole
		change(&o)
		if _, err := images.Write(t.Context(), o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
