package artifact

import (
	"bytes"
	"errors"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// TestUnifiedApplies: git, given the diff, does what Commit does.
func TestUnifiedApplies(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip(err)
	}
	for _, tr := range trials() {
		s := tr.states(t)
		plan, err := planFor(openRoot(t, s.start), s.newSet)
		if err != nil {
			t.Fatal(err)
		}
		var diff bytes.Buffer
		if err := Unified(&diff, plan.Changes()); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("git", "apply", "--whitespace=nowarn", "-")
		cmd.Dir, cmd.Stdin = s.start, &diff
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v: %s", tr.name, err, out)
			continue
		}
		same(t, tr.name, s.newTree, snapshot(t, s.start))
	}
}

func TestUnifiedForms(t *testing.T) {
	var b strings.Builder
	err := Unified(&b, []Change{
		{Path: "new.bin", Kind: Added, New: []byte("\x00"), Mode: fileMode},
		{Path: "old.bin", Kind: Deleted, Old: []byte("\x00"), OldMode: fileMode},
		{Path: "turns.bin", Kind: Modified, Old: []byte("text\n"), New: []byte("\x00"), OldMode: fileMode, Mode: fileMode},
		{Path: "cut", Kind: Modified, Old: []byte("a\nb"), New: []byte("a\nb\n"), OldMode: fileMode, Mode: fileMode},
	})
	if err != nil {
		t.Fatal(err)
	}
	same(t, "diff", `diff --git a/new.bin b/new.bin
new file mode 100644
Binary files /dev/null and b/new.bin differ
diff --git a/old.bin b/old.bin
deleted file mode 100644
Binary files a/old.bin and /dev/null differ
diff --git a/turns.bin b/turns.bin
Binary files a/turns.bin and b/turns.bin differ
diff --git a/cut b/cut
--- a/cut
+++ b/cut
@@ -1,2 +1,2 @@
 a
-b
\ No newline at end of file
+b
`, b.String())
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errors.New("boom") }

func TestUnifiedReportsTheWriter(t *testing.T) {
	err := Unified(failing{}, []Change{{Path: "a", Kind: Added, New: []byte("x\n")}})
	if err == nil || err.Error() != "writing the diff: boom" {
		t.Errorf("Unified: %v", err)
	}
}

func TestPlanListsTheLock(t *testing.T) {
	dir := t.TempDir()
	root := openRoot(t, dir)
	set := setOf(t, map[string]files{"py": {"z": "1", "a": "1"}})
	plan, err := planFor(root, set)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range plan.Changes() {
		got = append(got, string(c.Kind)+" "+c.Path+" "+c.Origin)
	}
	same(t, "changes", []string{"added a py", "added sdkgen.lock lock", "added z py"}, got)
	mustGenerate(t, root, set)
	old, err := ReadLock(root, "sdkgen.yaml")
	if err != nil {
		t.Fatal(err)
	}
	plan, err = NewPlan(root, old, set, map[string]string{"py": "another-key"}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	c := plan.Changes()
	if len(c) != 1 || c[0].Path != LockName || c[0].Kind != Modified || !slices.Equal(c[0].New, plan.final.Encode()) {
		t.Errorf("a new key is not a change: %v", c)
	}
}
