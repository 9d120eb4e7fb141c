#!/usr/bin/env bash
# Prints the size of the repository: how many packages, lines, modules and targets a reader meets.
#
#   hack/figures.sh [COMMIT]    of the checkout, or of a commit
set -euo pipefail
cd "$(dirname "$0")/.."

if [ $# -gt 0 ]; then
	place=$(mktemp -d)
	# shellcheck disable=SC2064 # the path is known now
	trap "git -C '$PWD' worktree remove --force '$place/tree'; rm -rf '$place'" EXIT
	git worktree add --quiet --detach "$place/tree" "$1"
	cd "$place/tree"
fi

figure() { printf '%6s  %s\n' "$2" "$1"; }

# imports_of_one prints the package with the most imports of internal packages, and how many these are.
imports_of_one() {
	local package imports most=0 name=
	for package in $(git ls-files 'sdkgen/internal/*.go' | grep -v testdata/ | xargs -n1 dirname | sort -u); do
		imports=$(git ls-files ":(glob)$package/*.go" | grep -v '_test\.go$' |
			{ xargs -r cat; } | sed -nE 's,^	([a-zA-Z_.]+ )?"github.com/flux-framework/flux-operator/sdkgen/internal/([^"]+)"$,\2,p' |
			sort -u | wc -l)
		if [ "$imports" -gt "$most" ]; then
			most=$imports name=${package#sdkgen/internal/}
		fi
	done
	figure "internal imports of one package, the most: $name" "$most"
}

figure "directories at the first level of sdkgen/internal" "$(git ls-files sdkgen/internal | cut -d/ -f3 | sort -u | wc -l)"
figure "Go lines by hand in sdkgen, without tests, what they share, and runtimes" "$(git ls-files sdkgen | grep '\.go$' |
	grep -vE '_test\.go|testdata|zz_generated|^sdkgen/(runtime|test|internal/testkit)/' | xargs cat | wc -l)"
imports_of_one
figure "Go modules" "$(git ls-files '*go.mod' ':!:*/testdata/*' | wc -l)"
figure "make targets" "$(grep -cE '^[a-z][a-z0-9-]*:' Makefile)"
figure "lines of the Makefile" "$(wc -l <Makefile)"
figure "words of README.md" "$(wc -w <README.md)"
figure "Go lines over 120 columns, but for struct tags and markers, which are one line" "$(git ls-files '*.go' | grep -vE 'testdata|zz_generated|^sdk/|_generated|/zz_' |
	xargs awk 'length > 120 && !/`json:|\/\/ \+/' | wc -l)"
