#!/bin/sh
# Entrypoint of the container {{.Container.Name}} of MiniCluster {{.MiniCluster.Name}}.
{{- template "begin" .}}

step=commands.init
finish() {
  status=$?
  [ -z "$stopped" ] || exit 143
  [ "$status" = 0 ] || report "$step ended with exit code $status"
}
{{- template "init" .}}
{{- with .Container.Commands.Pre}}

step=commands.pre
{{.}}
{{- end}}
{{- if not .Service}}
{{- with .Container.Commands.BrokerPre}}

step=commands.brokerPre
if [ "$JOB_COMPLETION_INDEX" = 0 ]; then
:
{{.}}
fi
{{- end}}
{{- with .Container.Commands.WorkerPre}}

step=commands.workerPre
if [ "$JOB_COMPLETION_INDEX" != 0 ]; then
:
{{.}}
fi
{{- end}}
{{- end}}

step="the command"
exec >&8 2>&9
{{.Container.Command}}
{{- with .Container.Commands.Post}}

step=commands.post
{{.}}
{{- end}}
{{- if .Sidecar}}

# Kubernetes would run a sidecar that ends again.
status=$?
[ "$status" = 0 ] || exit "$status"
while :; do
  sleep 3600 &
  wait $!
done
{{- end}}
