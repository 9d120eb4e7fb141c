#!/bin/sh
# Entrypoint of the container {{.Container.Name}} of MiniCluster {{.MiniCluster.Name}}.
{{- template "begin" .}}
{{- with .Container.Commands.Pre}}

{{.}}
{{- end}}
{{- if not .Service}}
{{- with .Container.Commands.BrokerPre}}

if [ "$JOB_COMPLETION_INDEX" = 0 ]; then
:
{{.}}
fi
{{- end}}
{{- with .Container.Commands.WorkerPre}}

if [ "$JOB_COMPLETION_INDEX" != 0 ]; then
:
{{.}}
fi
{{- end}}
{{- end}}

exec >&8 2>&9
{{.Container.Command}}
{{- with .Container.Commands.Post}}
{{- if $.MiniCluster.Spec.Logging.Quiet}}
exec >/dev/null 2>&1
{{- end}}

{{.}}
{{- end}}
