package artifact

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

func TestStageClean(t *testing.T) {
	py := files{"py/a": "a", "py/run*": "b"}
	for _, tt := range []struct {
		name  string
		spoil func(dir string) error
		clean bool
		drift []string
	}{
		{"clean", func(string) error { return nil }, true, nil},
		{"edited", func(d string) error { return os.WriteFile(d+"/py/a", []byte("x"), 0o644) }, false,
			[]string{"modified py/a"}},
		{"removed", func(d string) error { return os.Remove(d + "/py/a") }, false, []string{"added py/a"}},
		{"chmod", func(d string) error { return os.Chmod(d+"/py/run", 0o644) }, runtime.GOOS == "windows",
			[]string{"modified py/run"}},
		{"link", func(d string) error {
			return os.Rename(d+"/py", d+"/real") // and then
		}, false, []string{"added py/a", "added py/run"}},
		{"other stage", func(d string) error { return os.Remove(d + "/go") }, true, []string{"added go"}},
		{"more", func(d string) error { return os.WriteFile(d+"/py/mine", nil, 0o644) }, true, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			root := openRoot(t, dir)
			want := setOf(t, map[string]files{"py": py})
			mustGenerate(t, root, setOf(t, map[string]files{"py": py, "go": {"go": "g"}}))
			if err := tt.spoil(dir); err != nil {
				t.Fatal(err)
			}
			if tt.name == "link" {
				if err := os.Symlink("real", filepath.Join(dir, "py")); err != nil {
					t.Skip(err)
				}
			}
			lock, err := ReadLock(root, "sdkgen.yaml")
			if err != nil {
				t.Fatal(err)
			}
			set, clean, err := lock.StageClean(root, "py")
			if err != nil || clean != tt.clean {
				t.Fatalf("StageClean: %v, %v", clean, err)
			}
			if clean {
				same(t, "files", want.files, set.files)
			}
			changes, err := lock.Drift(root)
			if err != nil {
				t.Fatal(err)
			}
			var drift []string
			for _, c := range changes {
				drift = append(drift, string(c.Kind)+" "+c.Path)
			}
			same(t, "Drift", tt.drift, drift)
		})
	}
}

func TestStageWithoutKeyIsNotClean(t *testing.T) {
	root := openRoot(t, t.TempDir())
	set := setOf(t, map[string]files{"py": {"a": "a"}})
	old, err := ReadLock(root, "sdkgen.yaml")
	if err != nil {
		t.Fatal(err)
	}
	plan, err := NewPlan(root, old, set, map[string]string{"py": "", "rules": "k"}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := Commit(t.Context(), root, plan); err != nil {
		t.Fatal(err)
	}
	lock, err := ReadLock(root, "sdkgen.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for stage, want := range map[string]bool{"py": false, "none": false, "rules": true} {
		if set, clean, err := lock.StageClean(root, stage); clean != want || err != nil || clean && set.Len() != 0 {
			t.Errorf("StageClean(%s): %v %v", stage, clean, err)
		}
	}
}
