#!/usr/bin/env bash
# The steps of .github/workflows/release.yml that are no action, so that they can be run elsewhere too.
#
#   hack/publish.sh check vX            the tag is that of sdkgen.yaml's version, and the Go modules have theirs on this commit
#   hack/publish.sh notes X             the section of a version in CHANGELOG.md
#   hack/publish.sh sboms DIST          each file of a release that has an SBOM, with it, as JSON
#   hack/publish.sh images DIST REPO    push the images; prints the reference of each, with its digest
#   hack/publish.sh chart DIST REPO ... push the chart; more arguments are for helm; prints the same
#
# DIST is the directory that `make release` made. Pushing needs a login at the registry (`crane auth login`).
set -euo pipefail

crane=(${CRANE:-.tools/bin/crane}) # `make .tools/bin/crane` builds it

die() { echo "publish: $*" >&2; exit 1; }

check() {
	local tag=$1 version module
	version=$(sed -n 's/^version: *//p' sdkgen.yaml)
	[ "$tag" = "v$version" ] || die "the tag is $tag, and the version in sdkgen.yaml is $version"
	for module in '' api/ sdk/go/ sdkgen/; do
		[ "$(git rev-parse --quiet --verify "refs/tags/$module$tag^{commit}")" = "$(git rev-parse HEAD)" ] ||
			die "the tag $module$tag is not on this commit; docs/contribute/releasing.md says how the tags are pushed"
	done
}

notes() {
	local section
	section=$(awk -v "version=$1" '/^## / { on = $2 == version; next } on' CHANGELOG.md)
	[ -n "${section//[[:space:]]/}" ] || die "CHANGELOG.md has no section of $1"
	# A release's page is no file of the repository, so its links begin elsewhere.
	echo "$section" | sed -E "/./,\$!d; s#\]\(([^):]+)\)#](https://github.com/flux-framework/flux-operator/blob/v$1/\1)#g"
}

sboms() {
	python3 - "$1" <<'END'
import json, pathlib, sys

dist = pathlib.Path(sys.argv[1])
pairs = []
for sbom in [*sorted(dist.glob("*.spdx.json")), *sorted(dist.glob("*.cdx.json"))]:
    file = sbom.with_suffix("").with_suffix("")
    if not file.is_file():
        sys.exit(f"publish: {sbom.name} is of no file of the release")
    pairs.append({"file": file.name, "sbom": sbom.name})
print(json.dumps(pairs, separators=(",", ":")))
END
}

# images pushes NAME_X_linux_ARCH.tar, an OCI image layout each, and one index of the architectures for each name.
images() {
	local dist=$1 repository=$2 work archive file name version arch reference
	local -A parts=()
	work=$(mktemp -d)
	# shellcheck disable=SC2064 # the variable is gone by then
	trap "rm -rf '$work'" EXIT
	for archive in "$dist"/*_linux_*.tar; do
		[ -e "$archive" ] || die "$dist has no images"
		file=$(basename "$archive" .tar)
		arch=${file##*_linux_}
		file=${file%_linux_*}
		name=${file%_*}
		version=${file##*_}
		mkdir "$work/$name-$arch"
		tar -xf "$archive" -C "$work/$name-$arch"
		reference=$("${crane[@]}" push "$work/$name-$arch" "$repository/$name:$version-$arch")
		parts[$name:$version]+=" --manifest $reference"
	done
	for name in "${!parts[@]}"; do
		# shellcheck disable=SC2086 # the references have no spaces
		"${crane[@]}" index append ${parts[$name]} --tag "$repository/$name"
	done
}

chart() {
	local dist=$1 repository=$2 said
	shift 2
	set -- "$@" "oci://$repository"
	for archive in "$dist"/flux-operator-*.tgz; do
		said=$(bin/helm push "$archive" "$@" 2>&1) || die "$said"
		echo "$said" | awk '/^Pushed: / { name = $2 } /^Digest: / { digest = $2 } END { if (!name || !digest) exit 1; sub(/:[^:\/]*$/, "", name); print name "@" digest }' || die "$said"
	done
}

case "${1:-}" in
check | notes | sboms | images | chart) "$@" ;;
*) die "write check, notes, sboms, images or chart; the head of this file says more" ;;
esac
