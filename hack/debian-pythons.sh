#!/usr/bin/env bash
# Installs Pythons that the machine's distribution does not have, for the Python tests: those of Debian's unstable release.
# They stay in a directory outside of the checkout, where test/python/matrix.py finds them, and are installed once.
#
#   hack/debian-pythons.sh [--out DIRECTORY]
#
# Needs root on Debian or Ubuntu: it installs debootstrap and patchelf with apt. Takes about 2 minutes.
set -euo pipefail

versions=(3.14 3.15)
out=${XDG_CACHE_HOME:-${HOME:?}/.cache}/flux-operator-python

say() { echo "debian-pythons: $*" >&2; }
die() { say "$@"; exit 2; }

if [ "${1:-}" = --out ] && [ $# = 2 ]; then
	out=$(realpath -m "$2")
elif [ $# -gt 0 ]; then
	die "usage: hack/debian-pythons.sh [--out DIRECTORY]"
fi

# relocate ROOT VERSION: makes the Python below ROOT run outside of it, with the libraries and the pip of ROOT.
relocate() {
	local libraries=$1/usr/lib/$(uname -m)-linux-gnu loader
	loader=$(echo "$libraries"/ld-linux-*.so.*)
	patchelf --force-rpath --set-rpath "$libraries" --set-interpreter "$loader" "$1/usr/bin/python$2"
	sed -i "s|/usr/share/python-wheels/|$1&|" "$1/usr/lib/python$2"/_sysconfig*
	rm -f "$1/usr/lib/python$2"/__pycache__/_sysconfig*
	"$1/usr/bin/python$2" -c 'import ctypes, ensurepip, sqlite3, ssl, venv'
}

install() {
	apt-get update -qq
	DEBIAN_FRONTEND=noninteractive apt-get install -y -qq debootstrap patchelf
	rm -rf "$out"
	mkdir -p "$out/bin"
	debootstrap --variant=minbase --include="$(printf 'python%s-venv,' "${versions[@]}")ca-certificates" sid "$out/sid"
	for version in "${versions[@]}"; do
		relocate "$out/sid" "$version"
	done
	for version in "${versions[@]}"; do
		ln -s "../sid/usr/bin/python$version" "$out/bin/python$version" # the last step: whoever finds it, finds it whole
	done
}

if [ ! -e "$out/bin/python${versions[-1]}" ]; then
	[ "$(id -u)" = 0 ] || die "root is needed to install Python ${versions[*]}"
	mkdir -p "$(dirname "$out")"
	(set -e; install) >"$out.log" 2>&1 & # a shell of its own, in which set -e holds
	wait $! || die "installing Python ${versions[*]} failed; the log is $out.log"
fi
echo "$out/bin"
