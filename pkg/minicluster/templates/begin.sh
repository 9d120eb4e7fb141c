{{define "begin"}}
{{- if .MiniCluster.Spec.Logging.Quiet}}
# Only what the command prints, on 8 and 9, is shown.
exec 8>&1 9>&2 >/dev/null 2>&1
{{- else}}
exec 8>&1 9>&2
{{- end}}
{{- with .Container.Commands.Init}}

{{.}}
{{- end}}
{{- if .Strict}}

set -e
if (set -o pipefail) 2>/dev/null; then set -o pipefail; fi
{{- end}}
{{- end}}
