package debian

import (
	"bytes"
	"errors"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/flux-framework/flux-operator/hack/release/layer"
)

// names are the packages: Python, and what its modules, the C library and wheels depend on. Left out are those that run
// at installation (debconf, openssl) or serve a terminal or a configuration that is not here (readline-common, awk,
// openssl-provider-legacy).
var names = []string{
	"base-files", "ca-certificates", "gcc-14-base", "libbz2-1.0", "libc6", "libdb5.3t64", "libexpat1", "libffi8",
	"libgcc-s1",
	"liblzma5", "libncursesw6", "libpython3.13-minimal", "libpython3.13-stdlib", "libreadline8t64", "libsqlite3-0",
	"libssl3t64", "libstdc++6",
	"libtinfo6", "libuuid1", "libzstd1", "media-types", "netbase", "python3.13-minimal", "tzdata", "zlib1g",
}

// unwanted are files without a use in an image: documents, and what belongs to a login or to a package manager.
var unwanted = []string{
	"etc/ca-certificates/", "etc/debian_version", "etc/default/", "etc/dpkg/", "etc/issue", "etc/issue.net",
	"etc/profile.d/",
	"etc/update-motd.d/", "usr/lib/binfmt.d/", "usr/lib/python3.13/pydoc_data/", "usr/sbin/", "usr/share/apport/",
	"usr/share/apps/",
	"usr/share/base-files/", "usr/share/binfmts/", "usr/share/bug/", "usr/share/gcc/", "usr/share/info/",
	"usr/share/libc-bin/",
	"usr/share/lintian/", "usr/share/locale/", "usr/share/man/",
}

// certificates is the bundle that programs read. Debian's own is made at installation.
const certificates = "etc/ssl/certs/ca-certificates.crt"

func wanted(name string) bool {
	if strings.HasPrefix(name, "usr/share/doc/") {
		return path.Base(name) == "copyright"
	}
	if strings.Contains(name, "/gconv/") { // the C library's encodings; Python has its own
		return false
	}
	return !slices.ContainsFunc(unwanted, func(one string) bool {
		return name == one || strings.HasSuffix(one, "/") && strings.HasPrefix(name, one)
	})
}

// finish adds what installation scripts would write.
func finish(tree layer.Tree) error {
	const authorities = "usr/share/ca-certificates/"
	var bundle bytes.Buffer
	for _, name := range slices.Sorted(maps.Keys(tree)) {
		if strings.HasPrefix(name, authorities) {
			bundle.Write(bytes.TrimSpace(tree[name].Data))
			bundle.WriteByte('\n')
			delete(tree, name)
		}
	}
	if bundle.Len() == 0 {
		return errors.New("the package ca-certificates has no certificates")
	}
	return tree.Merge(layer.Tree{
		certificates: file(bundle.String()),
		"etc/passwd": file(
			"root:x:0:0:root:/:/nonexistent\nnobody:x:65534:65534:nobody:/:/nonexistent\nnonroot:x:65532:65532:nonroot:/:/nonexistent\n"),
		"etc/group": file("root:x:0:\nnobody:x:65534:\nnonroot:x:65532:\n"),
		"tmp":       directory,
	})
}

// Environment is what programs need to know of the base.
func Environment() []string {
	return []string{
		"PATH=/usr/local/bin:/usr/bin",
		"SSL_CERT_FILE=/" + certificates,
		"PYTHONDONTWRITEBYTECODE=1",
		"PYTHONUNBUFFERED=1",
	}
}
