#!/usr/bin/env bash
# Runs the README's two commands as on a machine that has nothing: in a clone of HEAD, with an empty home
# directory, empty caches of go and pip, and no Java. Prints how long each step took; `make test-all ONLY=fresh` calls it.
#
# What is configured of go and pip stays, as it says where modules and packages come from.
set -euo pipefail
cd "$(dirname "$0")/.."

say() { echo "test-fresh: $*" >&2; }
die() { say "$@"; exit 1; }

place=$(mktemp -d "${TMPDIR:-/tmp}/test-fresh-XXXXXX")
trap 'chmod -R u+w "$place"; rm -rf "$place"' EXIT
mkdir "$place/home" "$place/bin"

# A shim of pyenv finds nothing below an empty home directory: name the interpreters themselves.
for name in python3 python3.9 python3.11 python3.13; do
	if program=$("$name" -c 'import sys; print(sys.executable)' 2>/dev/null); then
		printf '#!/bin/sh\nexec "%s" "$@"\n' "$program" >"$place/bin/$name"
		chmod +x "$place/bin/$name"
	fi
done

# PATH, where links to all other programs take the place of a directory that has java.
path=$place/bin
IFS=: read -ra directories <<<"$PATH"
for directory in "${directories[@]}"; do
	if [ -x "$directory/java" ]; then
		links=$(mktemp -d "$place/links-XXXXXX")
		find "$directory/" -maxdepth 1 ! -type d ! -name java -exec ln -s -t "$links" {} +
		directory=$links
	fi
	path+=:$directory
done

pip_config=
for file in "${XDG_CONFIG_HOME:-$HOME/.config}/pip/pip.conf" "$HOME/.pip/pip.conf"; do
	[ ! -f "$file" ] || pip_config=$file
done
settings=(HOME="$place/home" PATH="$path" GOENV="$(go env GOENV)" GOFLAGS=-modcacherw)
[ -z "$pip_config" ] || settings+=(PIP_CONFIG_FILE="$pip_config")

fresh() {
	env -u JAVA_HOME -u GOPATH -u GOBIN -u GOCACHE -u GOMODCACHE -u PIP_CACHE_DIR -u XDG_CACHE_HOME -u XDG_CONFIG_HOME \
		-u SDKGEN_TOOLS -u SDKGEN_TEST_ALL -u ONLY -u MAKEFLAGS -u MAKELEVEL "${settings[@]}" "$@"
}

unchanged() { [ -z "$(git -C "$place/repository" status --porcelain)" ] || { git -C "$place/repository" status --short; return 1; }; }

took=()
step() {
	local name=$1 start=$SECONDS
	shift
	say "$name"
	"$@" || die "$name failed after $((SECONDS - start)) s"
	took+=("$(printf '%5d s  %s' $((SECONDS - start)) "$name")")
}

[ -z "$(git status --porcelain)" ] || say "the clone does not have what is not committed"
step "git clone" git clone -q . "$place/repository"
! fresh sh -c 'command -v java' >&2 || die "there is still a Java on PATH"
for target in api test; do
	step "make $target" fresh make -C "$place/repository" "$target"
	step "git status after make $target" unchanged
done
printf '%s\n' "${took[@]}"
