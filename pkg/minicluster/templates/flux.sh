#!/bin/bash
# Entrypoint of the Flux container of MiniCluster {{.MiniCluster.Name}}.
{{- template "begin" .}}
{{- $mc := .MiniCluster}}{{$spec := .MiniCluster.Spec}}{{$c := .Container}}

say() { printf '%s\n' "$*"; }
die() { printf 'flux-operator: %s\n' "$*" >&9; exit 1; }

fluxuser={{quote $c.FluxUser.Name}}
fluxuid={{.UID}}
export fluxroot={{quote $spec.Flux.InstallRoot}}
export PATH="$fluxroot/bin:$PATH"

# The prefix of each Flux command.
environment="PATH=$PATH ${PYTHONPATH:+PYTHONPATH=$PYTHONPATH} ${LD_LIBRARY_PATH:+LD_LIBRARY_PATH=$LD_LIBRARY_PATH}"
{{- if $c.Commands.RunFluxAsRoot}}
owner=root
asFlux="env $environment"
{{- else}}
owner=$fluxuser
asFlux="sudo -E -H -u $fluxuser env $environment"
{{- end}}
{{- with $c.Commands.Pre}}

{{.}}
{{- end}}

command -v flux >/dev/null || die "flux is not in the image: flux.installRoot is $fluxroot"
{{- if not $c.Commands.RunFluxAsRoot}}
command -v sudo >/dev/null || die "sudo is not in the image"
id "$fluxuser" >/dev/null 2>&1 || useradd --create-home --non-unique --uid "$fluxuid" "$fluxuser"
{{- end}}
{{- if $spec.Logging.Timed}}
[ -x /usr/bin/time ] || die "/usr/bin/time is not in the image: logging.timed needs it"
{{- end}}
{{- range $spec.Users}}
id {{quote .Name}} >/dev/null 2>&1 || useradd --create-home {{quote .Name}}
printf '%s:%s\n' {{quote .Name}} "$(cat /mnt/flux-restful/password.{{.Name}})" | chpasswd
{{- end}}
say "Flux runs as $(id "$owner"), from $fluxroot."

export FLUX_OUTPUT_DIR={{quote $c.Logs}}
mkdir -p /run/flux /var/lib/flux /etc/flux/system /etc/curve "$FLUX_OUTPUT_DIR"
install -m 0400 /mnt/curve/curve.cert /etc/curve/curve.cert
chown "$owner" /run/flux /var/lib/flux /etc/curve/curve.cert "$FLUX_OUTPUT_DIR"
{{- if $c.WorkingDir}}
chown "$owner" "$PWD" || say "$PWD stays with its owner."
{{- end}}
{{- if $spec.Flux.MungeSecret}}
install -D -m 0400 -o munge -g munge /mnt/munge/munge.key /etc/munge/munge.key
{{- end}}
{{- if or $spec.Flux.MungeSecret $spec.Users}}
service munge start || munged --force
{{- end}}
{{- if $spec.Users}}

# The Independent Minister of Privilege runs jobs of other users than the owner.
mkdir -p /etc/flux/imp/conf.d
cat >/etc/flux/imp/conf.d/imp.toml <<EOF
[exec]
allowed-users = [ "$owner" ]
allowed-shells = [ "$fluxroot/libexec/flux/flux-shell" ]
EOF
chmod 0644 /etc/flux/imp/conf.d/imp.toml
chmod 4755 "$fluxroot/libexec/flux/flux-imp"
{{- end}}

flux R encode --hosts={{quote .Hosts}} {{.Cores}} >/etc/flux/system/R
{{- with .OptionFlags}}
export FLUX_OPTION_FLAGS="${FLUX_OPTION_FLAGS:+$FLUX_OPTION_FLAGS }"{{quote .}}
{{- end}}

options=(
{{- with $spec.Flux.Wrap}}
  --wrap={{quote .}}
{{- end}}
  -o --config-path=/etc/flux/config
{{- range .Attributes}}
  -o {{.}}
{{- end}}
)
{{- if not .Extends}}
{{- with $spec.Archive.Path}}
if [ -e {{quote .}} ]; then
  options+=(-o -Scontent.restore={{quote .}})
fi
{{- end}}
{{- end}}
{{- if .Quorum}}
# Flux 0.51 and newer take the quorum as a number of brokers, older ones as their ranks.
case $(flux version | sed -n 's/^commands:[^0-9]*//p') in
  0.[0-9].* | 0.[1-4][0-9].* | 0.50.*) options+=(-o -Sbroker.quorum={{.Ranks}}) ;;
  *) options+=(-o -Sbroker.quorum={{.Size}}) ;;
esac
{{- end}}

# run runs a command to its end. Kubernetes stops a pod with SIGTERM, which goes on to the command.
set -m
child= stopped= status=0
trap 'stopped=yes; if [ "$child" ]; then kill -TERM -- "-$child" || true; else exit 143; fi' TERM
run() {
  say "$*"
  "$@" >&8 2>&9 &
  child=$!
  status=0
  wait "$child" || status=$?
  while kill -0 "$child" 2>/dev/null; do
    status=0
    wait "$child" || status=$?
  done
  child=
  return "$status"
}
start() {
  run {{if $spec.Logging.Timed}}/usr/bin/time -f 'flux start took %E' {{end -}}
  $asFlux {{with $c.Commands.Prefix}}{{.}} {{end}}flux start "${options[@]}" "$@"
}
{{- if not .Extends}}

lead() {
{{- with $c.Commands.BrokerPre}}
{{.}}
{{- end}}
{{- if .ServesRestful}}
  restful
{{- end}}
  start{{with .Program}} {{.}}{{end}} || true
}
{{- end}}

worker() {
{{- with $c.Commands.WorkerPre}}
{{.}}
{{- end}}
  until [ "$stopped" ] || start; do
    [ -z "$stopped" ] || break
    say "The broker has ended with $status; it starts again in 15 seconds."
    run sleep 15 || true
  done
}
{{- if .ServesRestful}}

restful() {
  restful=/mnt/flux-restful
  git clone --quiet --depth=1 --branch="$(cat $restful/branch)" \
    https://github.com/flux-framework/flux-restful-api /flux-restful-api
  cd /flux-restful-api
  FLUX_USER=$(cat $restful/username)
  FLUX_TOKEN=$(cat $restful/token)
  FLUX_SECRET_KEY=$(cat $restful/secret-key)
  export FLUX_USER FLUX_TOKEN FLUX_SECRET_KEY FLUX_REQUIRE_AUTH=true FLUX_NUMBER_NODES={{.Size}}
  python3 -m pip install --quiet -r requirements.txt
  alembic revision --autogenerate -m "Create tables"
  alembic upgrade head
  python3 app/db/init_db.py init
{{- range $spec.Users}}
  python3 app/db/init_db.py add-user {{quote .Name}} "$(cat $restful/password.{{.Name}})"
{{- end}}
  chown -R "$owner" /flux-restful-api
}
{{- end}}

{{if .Extends -}}
worker
{{- else -}}
if [ "$JOB_COMPLETION_INDEX" = 0 ]; then
  lead
else
  worker
fi
{{- end}}
{{- with $c.Commands.Post}}

{{.}}
{{- end}}

[ -z "$stopped" ] || exit 143
exit "$status"
