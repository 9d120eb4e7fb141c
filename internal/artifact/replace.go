package artifact

import "os"

// Replace writes one file that is the user's, such as a list that the user asked to have
// rewritten: whole or not at all. It has no line in the lock.
func Replace(root *os.Root, f File) error {
	var one Set
	f.Origin = "user"
	if err := one.Put(f); err != nil {
		return err
	}
	clean, _ := one.Lookup(f.Path)
	return (&disk{root: root}).replace(Change{Path: clean.Path, Kind: Modified, New: clean.Data, Mode: clean.Mode})
}
