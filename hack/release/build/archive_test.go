package build

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestArchives: an archive has the same bytes in any time zone and with any umask, and what was put into it.
func TestArchives(t *testing.T) {
	files := []File{{"a/sdkgen", 0o755, []byte("program")}, {"a/LICENSE", 0o644, bytes.Repeat([]byte("text\n"), 1000)}}
	commit := time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)
	dir := t.TempDir()
	for name, write := range map[string]func(string, time.Time, []File) error{"tar.gz": TarGz, "zip": Zip} {
		var all [][]byte
		for i, at := range []time.Time{commit, commit.In(time.FixedZone("", 3600))} {
			path := filepath.Join(dir, name+string(rune('0'+i)))
			if err := write(path, at, files); err != nil {
				t.Fatal(err)
			}
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, data)
		}
		if !bytes.Equal(all[0], all[1]) {
			t.Errorf("%s has other bytes in another time zone", name)
		}
	}
	got, err := readTarGz(filepath.Join(dir, "tar.gz0"))
	if err != nil {
		t.Fatal(err)
	}
	if !slices.EqualFunc(got, files, func(a, b File) bool {
		return a.Name == b.Name && a.Mode == b.Mode &&
			bytes.Equal(a.Data, b.Data)
	}) {
		t.Errorf("read %v, want %v", got, files)
	}
	if err := TarGz(filepath.Join(dir, "tar.gz0"), commit, files); err == nil {
		t.Error("a file was overwritten")
	}
}

func TestSum(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a"), []byte("abc"), 0o600); err != nil {
		t.Fatal(err)
	}
	artifacts, err := Sum(dir)
	if err != nil {
		t.Fatal(err)
	}
	const abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
	if len(artifacts) != 2 || artifacts[0] != (Artifact{"a", 3, abc}) || artifacts[1].Name != Sums {
		t.Errorf("got %v", artifacts)
	}
	if data, err := os.ReadFile(filepath.Join(dir, Sums)); err != nil || string(data) != abc+"  a\n" {
		t.Errorf("%s is %q (%v)", Sums, data, err)
	}
	if _, err := Sum(dir); err == nil || !strings.Contains(err.Error(), "which no step of a release writes") {
		t.Errorf("a second time: %v", err)
	}
}

// TestEnvironment: what would change the files does not come from outside.
func TestEnvironment(t *testing.T) {
	env := Environment([]string{"GOFLAGS=-race", "GOAMD64=v3", "LC_CTYPE=C", "SOURCE_DATE_EPOCH=1", "HOME=/h",
		"GOPROXY=p"}, "go1.2.3", time.Unix(7, 0))
	got := strings.Join(env, "\n") + "\n"
	for _, gone := range []string{"GOFLAGS", "GOAMD64", "LC_CTYPE", "SOURCE_DATE_EPOCH=1\n"} {
		if strings.Contains(got, gone) {
			t.Errorf("%s is still in\n%s", gone, got)
		}
	}
	for _, want := range []string{"HOME=/h\n", "GOPROXY=p\n", "GOTOOLCHAIN=go1.2.3\n", "SOURCE_DATE_EPOCH=7\n",
		"TZ=UTC\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is not in\n%s", want, got)
		}
	}
}
