package openapigen

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// launch is what makes the jar start quickly, in files beside it:
//
//	JAR.KEY.front    the front of the class path
//	JAR.KEY.classes  the names of the classes that a run loaded
//	JAR.KEY.CRC.jsa  the classes as Java has them in memory, and that file's own checksum
//
// The key stands for the jar, the Java and its flags. A run that finds no names has Java write
// them, which costs nothing; one that finds them makes the archive while the jar runs; the later
// ones use it. All of it may be missing, damaged, removed at any time or impossible to write: that
// costs time, nothing else. Java dies of an archive that was cut off, hence the checksum.
type launch struct {
	base  string // path of the files, up to the key; "" if they cannot be written
	front string // what Java is to run
}

// launch writes the front: beside the jar, or into scratch where that directory cannot be written.
func (j *Jar) launch(scratch string) (launch, error) {
	jar, err := filepath.EvalSymlinks(j.path) // an archive is for one path only
	if err != nil {
		return launch{}, err
	}
	info, err := os.Stat(jar)
	if err != nil {
		return launch{}, err
	}
	data, err := j.front(url.PathEscape(filepath.Base(jar)))
	if err != nil {
		return launch{front: jar}, nil // no zip file: Java says what it is
	}
	base := jar + "." + j.key(jar, info, data)
	front := base + ".front"
	// Java takes an archive for files of one size and time only.
	if err := place(front, data, info.ModTime()); err == nil {
		return launch{base, front}, nil
	}
	file := url.URL{Scheme: "file", Path: filepath.ToSlash(jar)}
	if data, err = j.front(file.String()); err != nil {
		return launch{}, err
	}
	front = filepath.Join(scratch, "front.jar")
	return launch{"", front}, os.WriteFile(front, data, 0o644)
}

// key hashes all that an archive hangs on.
func (j *Jar) key(jar string, info os.FileInfo, front []byte) string {
	sum := sha256.New()
	fmt.Fprintf(sum, "%s %q %d %d %q %q ", j.sum, jar, info.Size(), info.ModTime().UnixNano(), front, j.flags())
	java, err := filepath.EvalSymlinks(j.java)
	if err != nil {
		java = j.java
	}
	// Not every Java has a file with its version.
	release, _ := os.ReadFile(filepath.Join(filepath.Dir(filepath.Dir(java)), "release"))
	fmt.Fprintf(sum, "%q %q", java, release)
	if info, err := os.Stat(java); err == nil {
		fmt.Fprintf(sum, " %d %d", info.Size(), info.ModTime().UnixNano())
	}
	return hex.EncodeToString(sum.Sum(nil)[:6])
}

// place gives a file its bytes and its time, by renaming, if it does not have the bytes.
func place(file string, data []byte, modified time.Time) error {
	if old, err := os.ReadFile(file); err == nil && bytes.Equal(old, data) {
		return nil
	}
	return replace(file, func(name string) (string, error) {
		if err := os.WriteFile(name, data, 0o644); err != nil {
			return "", err
		}
		return file, os.Chtimes(name, modified, modified)
	})
}

// replace makes a file under a temporary name that begins with base, and then renames it to
// what make returns.
func replace(base string, make func(name string) (string, error)) error {
	temp, err := os.CreateTemp(filepath.Dir(base), filepath.Base(base)+".*.new")
	if err != nil {
		return err
	}
	defer os.Remove(temp.Name()) //nolint:errcheck // it has another name by then, or is of no use
	if err := temp.Close(); err != nil {
		return err
	}
	file, err := make(temp.Name())
	if err != nil {
		return err
	}
	if err := os.Chmod(temp.Name(), 0o644); err != nil {
		return err
	}
	return os.Rename(temp.Name(), file)
}

// archive returns the archive, "" if there is none. Damaged ones are removed.
func (l launch) archive() string {
	for _, file := range l.files(".jsa") {
		if crc, err := checksum(file); err == nil && file == l.base+"."+crc+".jsa" {
			return file
		}
		_ = os.Remove(file)
	}
	return ""
}

// files are those with the launch's key and an ending.
func (l launch) files(ending string) (found []string) {
	if l.base == "" {
		return nil
	}
	dir, base := filepath.Split(l.base)
	entries, _ := os.ReadDir(dir)
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), base+".") && strings.HasSuffix(entry.Name(), ending) {
			found = append(found, filepath.Join(dir, entry.Name()))
		}
	}
	return found
}

// checksum is one against accidents: who can write here can write the programs too.
func checksum(file string) (string, error) {
	f, err := os.Open(file)
	if err != nil {
		return "", err
	}
	defer f.Close() //nolint:errcheck // it is only read
	sum := crc32.New(crc32.MakeTable(crc32.Castagnoli))
	_, err = io.Copy(sum, f)
	return fmt.Sprintf("%08x", sum.Sum32()), err
}

// prepare returns what Java's arguments are to say of the archive, and what is to be done when
// the run with them has ended: so, or with an error.
func (l launch) prepare(ctx context.Context, j *Jar, scratch string) (args []string, after func(error) error) {
	if archive := l.archive(); archive != "" {
		return []string{"-Xlog:disable", "-XX:SharedArchiveFile=" + archive}, func(ran error) error {
			if exit, ok := errors.AsType[*exec.ExitError](ran); ok && exit.ExitCode() != 1 {
				return os.Remove(archive) // it may be what Java died of
			}
			return nil
		}
	}
	if _, err := os.Stat(l.names()); err == nil && l.base != "" {
		dumped := make(chan error, 1)
		go func() { dumped <- l.dump(ctx, j, scratch) }()
		return nil, func(error) error { return <-dumped }
	}
	list := filepath.Join(scratch, "classes")
	return []string{"-XX:DumpLoadedClassList=" + list}, func(ran error) error {
		if ran != nil || l.base == "" {
			return nil
		}
		data, err := os.ReadFile(list)
		if err != nil {
			return err
		}
		return place(l.names(), data, time.Time{})
	}
}

// names is the file with the names of the classes.
func (l launch) names() string { return l.base + ".classes" }

// abandoned is the age of a temporary file that no run still writes.
const abandoned = time.Hour

// dump makes the archive from the names.
func (l launch) dump(ctx context.Context, j *Jar, scratch string) error {
	for _, file := range l.files(".new") {
		if info, err := os.Stat(file); err == nil && time.Since(info.ModTime()) > abandoned {
			_ = os.Remove(file)
		}
	}
	err := replace(l.base, func(name string) (string, error) {
		args := append(j.flags(), "-Xshare:dump", "-XX:SharedClassListFile="+l.names(), "-XX:SharedArchiveFile="+name, "-jar", l.front)
		if said, err := command(ctx, scratch, j.java, args...).CombinedOutput(); err != nil {
			return "", fmt.Errorf("%w%s", err, tail(string(said)))
		}
		for _, other := range l.files(".jsa") {
			_ = os.Remove(other) // of a run at the same time
		}
		crc, err := checksum(name)
		return l.base + "." + crc + ".jsa", err
	})
	if err != nil && ctx.Err() == nil {
		_ = os.Remove(l.names()) // another list may do
	}
	return err
}
