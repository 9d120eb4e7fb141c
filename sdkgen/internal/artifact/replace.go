package artifact

import (
	"go/token"
	"os"
	"path"

	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
)

// Replace writes one file of the user's by atomic rename, as Commit does: its directory is made as
// needed, and symbolic links are an error. The file has no line in the lock.
func Replace(root *os.Root, f File) error {
	var one Set
	f.Origin = "user"
	if err := one.Put(f); err != nil {
		return err
	}
	clean, _ := one.Lookup(f.Path)
	n, err := newTree(root).look(clean.Path)
	if err != nil {
		return err
	}
	if n.kind != regular && n.kind != absent {
		return diag.Errorf(token.Position{Filename: n.at}, "output", hintMove, "cannot write %q: the path is a %s",
			clean.Path, n.kind)
	}
	change := Change{Path: clean.Path, Kind: Modified, New: clean.Data, Mode: clean.Mode}
	c := &commit{disk: disk{root: root}, touched: map[string]bool{}}
	if err := c.mkdirs([]Change{change}); err != nil {
		return err
	}
	if err := c.removeTemp(clean.Path); err != nil {
		return err
	}
	if err := c.replace(change); err != nil {
		return err
	}
	return c.syncDir(path.Dir(clean.Path))
}
