package build

import (
	"archive/zip"
	"context"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// SDKGen builds sdkgen for all platforms: the wheels by hack/wheels.py, and of each an archive with the same program,
// its
// licenses and the README. There is no source distribution for Python: building one would need Go and its modules,
// which `go install` serves better.
func (s *Source) SDKGen(ctx context.Context, out string) error {
	listed, err := s.Run(ctx, s.Dir, "python3", "hack/wheels.py", "--version", s.Version, "--dir", out)
	if err != nil {
		return err
	}
	if listed == "" {
		return fmt.Errorf("hack/wheels.py built no wheel")
	}
	for wheel := range strings.SplitSeq(strings.TrimSpace(listed), "\n") {
		if err := s.archive(wheel, out); err != nil {
			return fmt.Errorf("packing %s: %w", filepath.Base(wheel), err)
		}
	}
	return nil
}

// platforms are Go's names by parts of a wheel's.
var platforms = []struct{ tag, name string }{
	{"manylinux_2_17_x86_64", "linux_amd64"}, {"manylinux_2_17_aarch64", "linux_arm64"},
	{"macosx_12_0_x86_64", "darwin_amd64"}, {"macosx_12_0_arm64", "darwin_arm64"},
	{"win_amd64", "windows_amd64"}, {"win_arm64", "windows_arm64"},
}

// archive packs the files of a wheel as a tar.gz, for Windows as a zip.
func (s *Source) archive(wheel, out string) error {
	at := slices.IndexFunc(platforms,
		func(p struct{ tag, name string }) bool { return strings.Contains(filepath.Base(wheel), p.tag) })
	if at < 0 {
		return fmt.Errorf("the platform is unknown")
	}
	readme, err := os.ReadFile(filepath.Join(s.Dir, "README.md"))
	if err != nil {
		return err
	}
	files, err := unpack(wheel)
	if err != nil {
		return err
	}
	files = append(files, File{"README.md", 0o644, readme})
	slices.SortFunc(files, func(a, b File) int { return strings.Compare(a.Name, b.Name) })
	if !slices.ContainsFunc(files, func(f File) bool { return f.Mode&0o111 != 0 }) {
		return fmt.Errorf("it has no program")
	}
	name := fmt.Sprintf("sdkgen_%s_%s", s.Version, platforms[at].name)
	for i := range files {
		files[i].Name = name + "/" + files[i].Name
	}
	if strings.HasPrefix(platforms[at].name, "windows") {
		return Zip(filepath.Join(out, name+".zip"), s.Time, files)
	}
	return TarGz(filepath.Join(out, name+".tar.gz"), s.Time, files)
}

// unpack returns the program and the licenses of a wheel.
func unpack(wheel string) ([]File, error) {
	r, err := zip.OpenReader(wheel)
	if err != nil {
		return nil, err
	}
	defer r.Close() //nolint:errcheck // it was only read
	var files []File
	for _, member := range r.File {
		file := File{Mode: 0o644}
		if _, license, ok := strings.Cut(member.Name, ".dist-info/licenses/"); ok {
			file.Name = license
		} else if strings.Contains(member.Name, ".data/scripts/") {
			file = File{Name: path.Base(member.Name), Mode: 0o755}
		} else {
			continue
		}
		content, err := member.Open()
		if err != nil {
			return nil, err
		}
		file.Data, err = io.ReadAll(content)
		if err != nil {
			return nil, err
		}
		files = append(files, file)
	}
	return files, nil
}
