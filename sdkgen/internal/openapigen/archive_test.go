package openapigen_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/flux-framework/flux-operator/sdkgen/internal/openapigen"
)

// archiving is a java that does with the options for archives what Java does: it fails of an
// archive that is not whole, and goes on without one that is gone.
const archiving = `for arg; do case $arg in
-Xshare:dump) dump=1;;
-XX:SharedArchiveFile=*) archive=${arg#*=};;
-XX:SharedClassListFile=*) test "$(cat ${arg#*=})" = names || exit 3;;
-XX:DumpLoadedClassList=*) echo names > ${arg#*=};;
esac; done
if test -n "$dump"; then rm -f $archive; echo archive $$ > $archive; exit; fi
if test -n "$archive" && { said=$(cat <&3); } 2>/dev/null 3< $archive; then
case $said in "archive "[0-9]*) ;; *) exit 139;; esac
fi
for config; do :; done; echo x > $(dirname $config)/out/f`

// keptBeside returns the endings of what lies beside a fake jar, and the archive if there is one.
func keptBeside(t *testing.T, home string) (endings []string, archive string) {
	t.Helper()
	entries, err := os.ReadDir(home)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if rest, ok := strings.CutPrefix(entry.Name(), "fake.jar."); ok {
			endings = append(endings, filepath.Ext(rest))
			if filepath.Ext(rest) == ".jsa" {
				archive = filepath.Join(home, entry.Name())
			}
		}
	}
	slices.Sort(endings)
	return endings, archive
}

// runFake makes one job and says which arguments Java was given for it.
func runFake(ctx context.Context, t *testing.T, jar *openapigen.Jar) (args string, err error) {
	t.Helper()
	var log bytes.Buffer
	sets, err := jar.Run(ctx, slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})), t.TempDir(), []openapigen.Job{job("go", "go", "")})
	if err == nil && sets[0].Len() != 1 {
		t.Errorf("%d files", sets[0].Len())
	}
	return log.String(), err
}

// TestArchive follows an archive from the first run on: names, archive, use; then each way in
// which it can be lost or damaged, of which none fails a run.
func TestArchive(t *testing.T) {
	home, jar := fakeIn(t, archiving)
	step := func(what, arg string, want ...string) string {
		t.Helper()
		args, err := runFake(t.Context(), t, jar)
		kept, archive := keptBeside(t, home)
		if d := cmp.Diff(want, kept); err != nil || d != "" || !strings.Contains(args, arg) {
			t.Errorf("%s: error %v, kept:\n%s\n%s", what, err, d, args)
		}
		return archive
	}
	step("first", "DumpLoadedClassList", ".classes", ".front")
	archive := step("second", "-jar ", ".classes", ".front", ".jsa")
	step("third", "SharedArchiveFile="+archive, ".classes", ".front", ".jsa")
	for name, damage := range map[string]func(file string) error{
		"truncated": func(file string) error { return os.Truncate(file, 3) },
		"empty":     func(file string) error { return os.Truncate(file, 0) },
		"changed":   func(file string) error { return os.WriteFile(file, []byte("archive 0\n"), 0o644) },
		"removed":   os.Remove,
		"directory":    func(file string) error { return errors.Join(os.Remove(file), os.Mkdir(file, 0o755)) },
	} {
		_, file := keptBeside(t, home)
		if err := damage(file); err != nil {
			t.Fatal(err)
		}
		again := step(name, "-jar ", ".classes", ".front", ".jsa")
		step(name+", then", "SharedArchiveFile="+again, ".classes", ".front", ".jsa")
	}
	fronts, err := filepath.Glob(filepath.Join(home, "fake.jar.*.front"))
	if err != nil || len(fronts) != 1 {
		t.Fatal(fronts, err)
	}
	if err := os.Truncate(fronts[0], 9); err != nil {
		t.Fatal(err)
	}
	step("front", "SharedArchiveFile=", ".classes", ".front", ".jsa")
	if info, err := os.Stat(fronts[0]); err != nil || info.Size() < 100 {
		t.Errorf("the front was not written again: %v", err)
	}
}

// TestArchiveOther checks that another Java, or the jar fetched again, has files of its own.
func TestArchiveOther(t *testing.T) {
	home, jar := fakeIn(t, archiving)
	runs := func() {
		t.Helper()
		if _, err := runFake(t.Context(), t, jar); err != nil {
			t.Fatal(err)
		}
	}
	for _, change := range []func() error{
		func() error { return nil },
		func() error { return os.WriteFile(filepath.Join(home, "release"), []byte(java2+"\nX=y\n"), 0o644) },
		func() error { old := time.Unix(1, 0); return os.Chtimes(filepath.Join(home, "fake.jar"), old, old) },
	} {
		before, _ := keptBeside(t, home)
		if err := change(); err != nil {
			t.Fatal(err)
		}
		runs()
		if after, _ := keptBeside(t, home); len(after) != len(before)+2 {
			t.Errorf("kept %v, then %v", before, after)
		}
	}
}

// TestArchiveUseless has a Java that dies of an archive that is whole: the run after that does without.
func TestArchiveUseless(t *testing.T) {
	home, jar := fakeIn(t, strings.ReplaceAll(archiving, "echo archive $$", "echo nothing"))
	for i, fails := range []bool{false, false, true, false} {
		if _, err := runFake(t.Context(), t, jar); (err != nil) != fails {
			t.Errorf("run %d: %v", i, err)
		}
	}
	_, jar = fakeIn(t, strings.ReplaceAll(archiving, "= names", "= others"))
	for i := range 4 { // it never makes one
		if args, err := runFake(t.Context(), t, jar); err != nil || strings.Contains(args, "DumpLoadedClassList") != (i%2 == 0) {
			t.Errorf("run %d: %v\n%s", i, err, args)
		}
	}
	if kept, _ := keptBeside(t, home); slices.Contains(kept, ".new") {
		t.Errorf("kept %v", kept)
	}
}

// TestArchiveReadOnly has a directory that cannot be written: the front goes into the scratch directory.
func TestArchiveReadOnly(t *testing.T) {
	home, jar := fakeIn(t, archiving)
	if _, err := runFake(t.Context(), t, jar); err != nil {
		t.Fatal(err)
	}
	entries, err := filepath.Glob(filepath.Join(home, "fake.jar.*.*"))
	if err != nil || len(entries) != 2 {
		t.Fatal(entries, err)
	}
	for _, file := range entries { // root writes everywhere, but not over a directory
		if err := errors.Join(os.Remove(file), os.MkdirAll(filepath.Join(file, "full"), 0o755)); err != nil {
			t.Fatal(err)
		}
	}
	for range 3 {
		if args, err := runFake(t.Context(), t, jar); err != nil || !strings.Contains(args, "/front.jar batch") {
			t.Errorf("%v\n%s", err, args)
		}
	}
}

// TestArchiveAtOnce has several runs find the same things missing.
func TestArchiveAtOnce(t *testing.T) {
	home, jar := fakeIn(t, archiving)
	for range 3 {
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				if _, err := jar.Run(t.Context(), slog.New(slog.DiscardHandler), t.TempDir(), []openapigen.Job{job("go", "go", "")}); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
	}
	if kept, archive := keptBeside(t, home); slices.Contains(kept, ".new") || archive == "" {
		t.Errorf("kept %v", kept)
	}
}

// TestArchiveCancelled calls a run off while the archive is made.
func TestArchiveCancelled(t *testing.T) {
	home, jar := fakeIn(t, strings.ReplaceAll(archiving, "echo archive $$", "sleep 61; echo"))
	if _, err := runFake(t.Context(), t, jar); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(300*time.Millisecond, cancel)
	if _, err := runFake(ctx, t, jar); err != nil { // the jar itself was done
		t.Error(err)
	}
	if kept, _ := keptBeside(t, home); !slices.Equal(kept, []string{".classes", ".front"}) {
		t.Errorf("kept %v", kept)
	}
}

// TestArchiveReal makes an archive of the pinned jar: the same files come out without it, while it
// is made, with it, and with what is left of it.
func TestArchiveReal(t *testing.T) {
	findJar(t)
	where := real(t)
	file := filepath.Join(t.TempDir(), filepath.Base(where.Jar))
	copyFile(t, where.Jar, file)
	where.Jar = file
	jar, err := openapigen.Find(where)
	if err != nil {
		t.Fatal(err)
	}
	jobs := []openapigen.Job{job("python", "python-legacy", ""), job("go", "go", "")}
	first := run(t, jar, jobs)
	same := func(what string) {
		t.Helper()
		if d := cmp.Diff(first, run(t, jar, jobs)); d != "" {
			t.Errorf("%s:\n%s", what, d)
		}
	}
	same("while it is made")
	archives, err := filepath.Glob(file + ".*.jsa")
	if err != nil || len(archives) != 1 {
		t.Fatalf("archives %q, %v", archives, err)
	}
	same("with it")
	info, err := os.Stat(archives[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(archives[0], info.Size()/2); err != nil {
		t.Fatal(err)
	}
	names, err := filepath.Glob(file + ".*.classes")
	if err != nil || len(names) != 1 {
		t.Fatalf("names %q, %v", names, err)
	}
	if err := os.Remove(names[0]); err != nil { // so that it is not made once more
		t.Fatal(err)
	}
	same("with half of it")
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	in, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := os.Create(to)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(out, in); errors.Join(err, out.Close()) != nil {
		t.Fatal(err)
	}
}
