// Package cache keeps results on this machine for later runs, in one directory for all projects of a
// user. A key stands for everything that a result depends on, so an entry is never wrong, only
// unused. Entries may go at any time: that costs time, nothing else.
package cache

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Cache is a directory of entries. A nil one is empty and keeps nothing.
type Cache struct{ dir string }

// New returns the cache in a directory, which is made when it is first written to.
func New(dir string) *Cache { return &Cache{dir} }

// unused is the time after which an entry that nobody asked for is removed; seldom is how often it
// is looked for such, and how exact the time of the last use is.
const (
	unused = 14 * 24 * time.Hour
	seldom = 24 * time.Hour
)

// Get returns what was put under a key. An entry that is damaged is none.
func (c *Cache) Get(key string) ([]byte, bool) {
	if c == nil {
		return nil, false
	}
	name := c.file(key)
	data, err := os.ReadFile(name)
	if err != nil || len(data) < sha256.Size || sha256.Sum256(data[sha256.Size:]) != [sha256.Size]byte(data) {
		return nil, false
	}
	if info, err := os.Stat(name); err == nil && time.Since(info.ModTime()) > seldom {
		_ = os.Chtimes(name, time.Time{}, time.Now()) //nolint:forbidigo // files tell how old entries are; without it this one goes sooner
	}
	return data[sha256.Size:], true
}

// Put keeps data under a key.
func (c *Cache) Put(key string, data []byte) error {
	if c == nil {
		return nil
	}
	if err := os.MkdirAll(c.dir, 0o755); err != nil {
		return err
	}
	c.trim()
	temp, err := os.CreateTemp(c.dir, "new-")
	if err != nil {
		return err
	}
	sum := sha256.Sum256(data)
	_, err = temp.Write(append(sum[:], data...))
	if err = errors.Join(err, temp.Close()); err == nil {
		err = os.Rename(temp.Name(), c.file(key))
	}
	if err != nil {
		return errors.Join(err, os.Remove(temp.Name()))
	}
	return nil
}

// file is where the entry of a key lies.
func (c *Cache) file(key string) string {
	sum := sha256.Sum256([]byte(key))
	return filepath.Join(c.dir, hex.EncodeToString(sum[:]))
}

// trim removes what was not used for long, at most once a day.
func (c *Cache) trim() {
	stamp := filepath.Join(c.dir, "trimmed")
	if info, err := os.Stat(stamp); err == nil && time.Since(info.ModTime()) < seldom {
		return
	}
	_ = os.WriteFile(stamp, nil, 0o644)
	_ = fs.WalkDir(os.DirFS(c.dir), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return nil
		}
		if info, err := entry.Info(); err == nil && time.Since(info.ModTime()) > unused {
			_ = os.Remove(filepath.Join(c.dir, name))
		}
		return nil
	})
}
