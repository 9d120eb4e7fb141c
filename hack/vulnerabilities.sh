#!/usr/bin/env bash
# Looks for known vulnerabilities that code in the Go modules reaches (govulncheck) and of the Python packages in
# every requirements file (pip-audit). `make lint ONLY=vulnerabilities` calls it; it needs the network.
set -euo pipefail
cd "$(dirname "$0")/.."

failed=()
for module in $(git ls-files '*go.mod' ':!:*/testdata/*'); do
	echo "$module: govulncheck"
	(cd "$(dirname "$module")" && "${GO:-go}" run "golang.org/x/vuln/cmd/govulncheck@$GOVULNCHECK" "$@" ./...) ||
		failed+=("$module")
done
"${PYTHON:-python3}" hack/environment.py .tools/audit --require-hashes -r hack/audit/requirements.txt
for file in $(git ls-files '*requirements*.txt' hack/release/wheels/build.txt); do
	echo "$file: pip-audit"
	hashes=()
	! grep -q -e --hash "$file" || hashes=(--require-hashes --disable-pip)
	.tools/audit/bin/pip-audit --strict --progress-spinner off "${hashes[@]}" -r "$file" || failed+=("$file")
done
[ ${#failed[@]} -eq 0 ] || { echo "vulnerabilities: see above: ${failed[*]}" >&2; exit 1; }
