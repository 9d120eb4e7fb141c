#!/usr/bin/env bash
# Tests the operator on real Flux brokers; `make test-realflux` calls it.
#
#   hack/realflux.sh COMMAND OF bin/cluster run ... -- [ARGUMENT OF go test ...]
#
# FLUX_LAYERS has the directories of images of Flux, separated by spaces, each as LAYER:LAYER; hack/build-flux.sh
# builds them and sets it.
set -euo pipefail
cd "$(dirname "$0")/.."

if [ -z "${FLUX_LAYERS:-}" ]; then
	echo "test-realflux did not run: FLUX_LAYERS is not set; hack/build-flux.sh builds the layers and sets it" >&2
	exit 2
fi
cluster=()
while [ "$1" != -- ]; do
	cluster+=("$1")
	shift
done
shift

stubs=$PWD/test/realflux/testdata/stubs
names=()
for layers in $FLUX_LAYERS; do
	names+=("localhost/flux:${#names[@]}")
	cluster+=(--image "${names[-1]}=$stubs:$layers")
done
# The images of examples/, for which that of Flux stands.
for image in $(sed -n 's/.*image[:=] *"\?\([a-z.]*\/[a-zA-Z0-9./:_-]*\).*/\1/p' examples/minicluster/*.yaml examples/python/*.py | sort -u); do
	cluster+=(--image "$image=$stubs:${FLUX_LAYERS%% *}")
done
REALFLUX="${names[*]}" "${cluster[@]}" -- "${GO:-go}" test -count=1 -timeout 80m -parallel 6 -v ./test/realflux \
	-report "$PWD/docs/operate/real-flux.md" "$@"
