#!/usr/bin/env bash
# Opens the reference pages in a browser: runs the tests of test/docs, to which the arguments are handed on.
#
#   hack/docs-browser.sh [-run NAME] [-bench Search -run NONE] [-shots DIRECTORY]
#
# Needs Python with pip, Chromium or Chrome, on PATH or named by CHROME, and npm for axe-core, the checks for accessibility. On Debian and Ubuntu it installs
# them if it is root. What cannot run is an error.
set -euo pipefail
cd "$(dirname "$0")/.."

axe_version=4.14.1
axe_sha512=1477dafa598d8d065f273d6af302aa203c02e83131707b7fa648cd41bd3d6b734f8c22a0dab86ee6a6f64b8afbe804b214d36db85a2826965edfb3a0b9d546b5

say() { echo "docs-browser: $*" >&2; }
die() { say "the tests did not run: $*"; exit 2; }

# install PACKAGE: installs a package of the distribution.
install() {
	[ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || die "$1 is not installed"
	say "installing $1"
	apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$1" >/dev/null || die "$1 cannot be installed"
}

find_browser() {
	for name in chromium chromium-browser google-chrome; do
		command -v "$name" && return
	done
	return 1
}

CHROME=${CHROME:-$(find_browser || true)}
if [ -z "$CHROME" ]; then
	install chromium
	CHROME=$(find_browser) || die "there is no chromium"
fi

tools=$PWD/.tools/axe-core-$axe_version
axe_whole() { echo "$axe_sha512  $tools/axe-core-$axe_version.tgz" | sha512sum --check --status 2>/dev/null; }
if ! axe_whole; then
	command -v npm >/dev/null || install npm
	mkdir -p "$tools"
	(cd "$tools" && npm pack --silent "axe-core@$axe_version" >/dev/null) || die "npm cannot fetch axe-core"
	axe_whole || die "axe-core $axe_version has another checksum"
fi
tar -xzf "$tools/axe-core-$axe_version.tgz" -C "$tools" --strip-components=1 package/axe.min.js

python=$PWD/.tools/docs-python
python3 hack/environment.py "$python" kubernetes==37.0.2 || die "pip cannot install kubernetes"

export PYTHON=$python/bin/python CHROME AXE=$tools/axe.min.js CI=true # a test that cannot run fails
exec "${GO:-go}" test -count=1 -timeout 20m -v ./test/docs "$@"
