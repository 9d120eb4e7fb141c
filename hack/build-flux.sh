#!/usr/bin/env bash
# Builds the files of container images with Flux, for test/realflux: a Debian, flux-security, and one directory per version of
# flux-core. They stay in a directory outside of the checkout, and are built once.
#
#   hack/build-flux.sh --security CLONE --core CLONE [--out DIRECTORY]
#
# CLONE is a git repository of flux-framework/flux-security and flux-core that has the commits below; nothing is checked out in
# it. Needs root on Debian or Ubuntu: it installs the build dependencies with apt. Takes about 10 minutes on 2 cores.
# The last line sets FLUX_LAYERS:
#
#   eval "$(hack/build-flux.sh --security ../flux-security --core ../flux-core | tail -n 1)"
set -euo pipefail

release=bookworm
security_commit=d61455e4602ec876369f6c20e0264709e94fa8af
# The newest first: it runs all tests, the others those of versions.
versions=(0.88 0.58 0.50)
declare -A commits=(
	[0.88]=4a5e79f56b850a58cbbfc4b5af5a5b1fcd04c049 # v0.88.0-59
	[0.58]=1a48a44b93ddcbe8ca8f1e38372bf77689caa5f9
	[0.50]=53e0875107397a9405f2e569da35e52a2f8d7c7f
)
declare -A configure=([0.88]=--with-external-libev)

say() { echo "build-flux: $*" >&2; }
die() { say "$@"; exit 2; }

security= core= out=${XDG_CACHE_HOME:-${HOME:?}/.cache}/flux-operator-realflux
while [ $# -gt 0 ]; do
	case $1 in
	--security | --core | --out)
		[ $# -gt 1 ] || die "$1 needs a directory"
		declare "${1#--}=$(realpath -m "$2")"
		shift 2
		;;
	*) die "usage: hack/build-flux.sh --security CLONE --core CLONE [--out DIRECTORY]" ;;
	esac
done

build_dependencies=(autoconf automake gcc libtool make pkg-config debootstrap git
	libarchive-dev libczmq-dev libev-dev libhwloc-dev libjansson-dev liblua5.1-0-dev liblz4-dev libmunge-dev libncurses-dev
	libsodium-dev libsqlite3-dev libsystemd-dev libzmq3-dev lua-posix lua5.1 uuid-dev
	python3-cffi python3-dev python3-jsonschema python3-ply python3-yaml)
# What Flux and the entrypoints of the operator run.
packages=libarchive13,libczmq4,libev4,libhwloc15,libjansson4,liblua5.1-0,libpython3.11,libsodium23,libsqlite3-0,libsystemd0,lua-posix
packages+=,munge,procps,python3,python3-cffi,python3-jsonschema,python3-ply,python3-yaml,strace,sudo,time

work=
# made DIRECTORY COMMAND...: runs the command to fill DIRECTORY.new, and renames that, unless DIRECTORY exists.
made() {
	local directory=$1
	shift
	if [ ! -d "$directory" ]; then
		[ "$(id -u)" = 0 ] || die "root is needed to build $directory"
		say "building $directory"
		rm -rf "$directory.new"
		# A shell of its own: set -e holds inside, and what it exports and where it goes ends with it.
		(set -e; trap 'rm -rf "$work"' EXIT; "$@" "$directory.new") >"$directory.log" 2>&1 &
		wait $! || die "building $directory failed; its log is $directory.log"
		mv "$directory.new" "$directory"
	fi
}

debian() {
	dependencies
	debootstrap --variant=minbase --include="$packages" "$release" "$1"
}

# source_of CLONE COMMIT DIRECTORY: a checkout. A shallow mirror may lack files of the tests.
source_of() {
	[ -n "$1" ] || die "--security and --core name the clones to build from"
	git clone --quiet --shared --no-checkout "$1" "$3"
	git -C "$3" sparse-checkout set --no-cone '/*' '!/t/resource/resource.eventlog.thing1'
	git -C "$3" checkout --quiet --detach "$2"
}

prefix=(--prefix=/usr --sysconfdir=/etc --localstatedir=/var --disable-static)

flux_security() {
	dependencies
	work=$(mktemp -d)
	source_of "$security" "$security_commit" "$work/source"
	cd "$work/source"
	./autogen.sh
	./configure "${prefix[@]}"
	make -j"$(nproc)"
	make install DESTDIR="$1"
}

# flux_core VERSION DIRECTORY: flux-security is found in its own directory, not where it will be.
flux_core() {
	dependencies
	work=$(mktemp -d)
	source_of "$core" "${commits[$1]}" "$work/source"
	mkdir "$work/pkgconfig"
	sed "s|^prefix=/usr|prefix=$security_layer/usr|" "$security_layer/usr/lib/pkgconfig/flux-security.pc" \
		>"$work/pkgconfig/flux-security.pc"
	export PKG_CONFIG_PATH=$work/pkgconfig LD_LIBRARY_PATH=$security_layer/usr/lib
	cd "$work/source"
	[ -x configure ] || ./autogen.sh
	./configure "${prefix[@]}" --disable-docs --with-flux-security ${configure[$1]:-} PYTHON=/usr/bin/python3 CFLAGS="-O1 -g0"
	make -j"$(nproc)" -C src CPPFLAGS="-I$security_layer/usr/include"
	make -C etc
	make -C src install DESTDIR="$2"
	make -C etc install DESTDIR="$2"
}

dependencies() {
	apt-get update -qq
	DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "${build_dependencies[@]}"
}

export PATH=/usr/bin:/bin:/usr/sbin:/sbin
mkdir -p "$out"
debian_layer=$out/debian-$release security_layer=$out/flux-security-${security_commit:0:12}
made "$security_layer" flux_security
made "$debian_layer" debian
layers=()
for version in "${versions[@]}"; do
	core_layer=$out/flux-core-$version-${commits[$version]:0:12}
	made "$core_layer" flux_core "$version"
	layers+=("$core_layer:$security_layer:$debian_layer")
done
echo "export FLUX_LAYERS='${layers[*]}'"
