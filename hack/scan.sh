#!/bin/sh
# Scans the chart and the kustomizations of config/ with kube-score. hack/kube-score.conf has the exceptions.
set -eu
cd "$(dirname "$0")/.."
options=$(sed 's/ *#.*//; /^$/d' hack/kube-score.conf)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

# scan scans the objects of a file. kube-score exits with 1 if there are findings, as go run does if it cannot run.
scan() {
  # shellcheck disable=SC2086
  "${GO:-go}" run "github.com/zegl/kube-score/cmd/kube-score@$KUBE_SCORE" score --exit-one-on-warning --output-format ci \
    $options "$2" >"$work/found" 2>"$work/log" || true
  grep -q '^\[OK\]' "$work/found" || { cat "$work/log" >&2; exit 1; }
  if grep '^\[\(CRITICAL\|WARNING\)\]' "$work/found"; then failed=1; fi
  echo "$1: $(grep -c '^\[OK\]' "$work/found") checks passed"
}

chart() {
  helm template flux-operator charts/flux-operator --namespace flux-operator-system "$@" >"$work/objects" 2>"$work/log" ||
    { cat "$work/log" >&2; exit 1; }
  scan "chart $*" "$work/objects"
}

chart --set 'watchNamespaces={team-a}'
chart --set clusterWide=true --set allowVolumes=true --set 'allowHostPaths={/data}'
for directory in config/default config/namespaced; do
  kubectl kustomize "$directory" >"$work/objects"
  scan "$directory" "$work/objects"
done
exit "$failed"
