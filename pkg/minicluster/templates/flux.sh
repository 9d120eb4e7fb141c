#!/bin/bash
# Entrypoint of the Flux container of MiniCluster {{.MiniCluster.Name}}.
{{- template "begin" .}}
{{- $mc := .MiniCluster}}{{$spec := .MiniCluster.Spec}}{{$c := .Container}}

# finish decides on the exit code: 143 and 137 are those of a pod that was lost, and is replaced.
status=0 failure=
finish() {
  local code=$? lost ended='the command ended'
  [ -z "$stopped" ] || exit 143
  [ "$code" != 0 ] || exit 0
  if lost=$(cat /run/flux/lost) && [ "$lost" ]; then
    report "the command failed as pods were lost under it: ranks $lost"
    exit 143
  fi
  case $code in 137 | 143) ended='the command, or the broker, was killed' ;; esac
  [ "$reported" ] || report "${failure:-$ended: exit code $code}"
  case $code in 137 | 143) exit 1 ;; esac
  exit "$code"
} 2>/dev/null
{{- template "init" .}}
{{- if .Strict}}
set -E
trap 'failure="exit code $? of line $LINENO of $0: $BASH_COMMAND"' ERR
{{- end}}

say() { printf '%s\n' "$*"; }
die() { report "$*"; exit 1; }

fluxuser={{quote $c.FluxUser.Name}}
fluxuid={{.UID}}
export fluxroot={{quote $spec.Flux.InstallRoot}}
export PATH="$fluxroot/bin:$PATH"

# The prefix of each Flux command.
environment="PATH=$PATH ${PYTHONPATH:+PYTHONPATH=$PYTHONPATH} ${LD_LIBRARY_PATH:+LD_LIBRARY_PATH=$LD_LIBRARY_PATH}"
{{- if .Restricted}}
asFlux="env $environment"
{{- else if $c.Commands.RunFluxAsRoot}}
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
{{- if not (or .Restricted $c.Commands.RunFluxAsRoot)}}
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
version=$(flux version | sed -n 's/^commands:[^0-9]*//p')
IFS=. read -r major minor _ <<<"$version"
if [[ "$major $minor" =~ ^0\ [0-9]+$ && $minor -lt 48 ]]; then
  die "Flux 0.48 or newer is required, the image has $version"
fi
say "Flux $version runs as $(id{{if not .Restricted}} "$owner"{{end}}), from $fluxroot."

export FLUX_OUTPUT_DIR={{quote $c.Logs}}
{{- if .Restricted}}
# One volume of root is mounted at /run/flux, /etc/curve and /etc/flux/system.
mkdir -p /run/flux/broker /run/flux/state "$FLUX_OUTPUT_DIR"
ln -sfn broker/local /run/flux/local
install -m 0400 /mnt/curve/curve.cert /etc/curve/curve.cert
{{- else}}
mkdir -p /run/flux /var/lib/flux /etc/flux/system /etc/curve "$FLUX_OUTPUT_DIR"
install -m 0400 /mnt/curve/curve.cert /etc/curve/curve.cert
chown "$owner" /run/flux /var/lib/flux /etc/curve/curve.cert "$FLUX_OUTPUT_DIR"
# The state holds the environment of all jobs.
chmod 0700 /var/lib/flux
{{- end}}
{{- if and $spec.Archive.Path (not .Extends)}}
command -v tar >/dev/null || die "tar is not in the image: archive.path needs it"
archive={{quote $spec.Archive.Path}} dump={{quote .Dump}}
if [ "$JOB_COMPLETION_INDEX" = 0 ]; then
  mkdir -p "$(dirname "$archive")"
{{- if not .Restricted}}
  chown "$owner" "$(dirname "$archive")" || say "$(dirname "$archive") stays with its owner."
  if [ -e "$archive" ]; then
    chown "$owner" "$archive" || say "$archive stays with its owner."
  fi
{{- end}}
fi
{{- end}}
{{- if and $c.WorkingDir (not .Restricted)}}
chown "$owner" "$PWD" || say "$PWD stays with its owner."
{{- end}}
{{- if .Munge}}
install -D -m 0400 -o munge -g munge /mnt/munge/munge.key /etc/munge/munge.key
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

{{with $c.Cores -}}
node=$(flux R encode --local)
cores=$(flux R decode --count=core <<<"$node")
[ "$cores" -ge {{.}} ] || die "cores is {{.}}, but the node has $cores"
{{end -}}
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
{{- if $spec.Archive.Path}}
if [ -e "$archive" ]; then
  options+=(-o "-Scontent.restore=$archive")
fi
{{- end}}
{{- end}}
{{- if .Quorum}}
# Flux 0.51 and newer take the quorum as a number of brokers, older ones as their ranks.
case $version in
  0.4[0-9].* | 0.50.*) options+=(-o -Sbroker.quorum={{.Ranks}}) ;;
  *) options+=(-o -Sbroker.quorum={{.Size}}) ;;
esac
{{- end}}

# start runs a broker to its end.
start() {
  trap 'stopped=yes' TERM
  set -- {{if $spec.Logging.Timed}}/usr/bin/time -f 'flux start took %E' {{end -}}
    $asFlux {{with $c.Commands.Prefix}}{{.}} {{end}}flux start "${options[@]}" "$@"
  say "$*"
  status=0
  "$@" >&8 2>&9 || status=$?
  return "$status"
}
{{- if not .Extends}}

lead() {
{{- with $c.Commands.BrokerPre}}
{{.}}
{{- end}}
{{- if .ServesRestful}}
  restful
{{- end}}
{{- if .RestfulAsRoot}}
  # The API becomes a user to submit a job, so it runs as root, beside the broker. Its launchers do not: they are off.
  mkfifo -m 0600 /run/flux/restful
  chown "$owner" /run/flux/restful
  (
    export FLUX_SERVER_MODE=multi-user KNOWN_LAUNCHERS='[]' FLUX_URI=local:///run/flux/local
    until flux getattr size; do sleep 0.5; done >/dev/null 2>&1
    status=0
    $restfulPython {{.ServeRestful}} >&8 2>&9 || status=$?
    echo "$status" >/run/flux/restful
  ) &
  unset FLUX_TOKEN FLUX_SECRET_KEY FLUX_TOKEN_SIGNING_KEY
{{- end}}
  start{{with .Program}} flux python /flux_operator/watch.py {{.}}{{end}} || true
{{- if $spec.Archive.Path}}
  # A dump that is incomplete, as Flux or the pod was killed, does not replace the archive.
  if $asFlux tar -tf "$dump" >/dev/null; then
    $asFlux mv -f "$dump" "$archive"
  else
    say "$dump is missing or incomplete: $archive stays as it was."
  fi
{{- end}}
}
{{- end}}

worker() {
{{- with $c.Commands.WorkerPre}}
{{.}}
{{- end}}
{{- if .Extends}}
  until start; do
{{- else}}
  # A broker that ended well has lost its lead, which may come back. The pod stays until the Job has finished.
  while :; do
    start || true
{{- end}}
    [ -z "$stopped" ] || break
    say "The broker has ended with $status; it starts again in 5 seconds."
    sleep 5 &
    wait $! || true
    [ -z "$stopped" ] || break
  done
}
{{- if .ServesRestful}}

restfulPython="env PYTHONPATH=/opt/flux-restful${PYTHONPATH:+:$PYTHONPATH} flux python"

# restful prepares the Flux RESTful API, which the image has in /opt/flux-restful or which is installed there: a
# pinned release, whose wheels have known hashes and run nothing while they are installed.
restful() {
  local secrets=/mnt/flux-restful {{if .RestfulAsRoot}}owner=root python=$restfulPython{{else}}python="$asFlux $restfulPython"{{end}}
  if [ ! -e /opt/flux-restful ]; then
    install -d -o "$owner" /opt/flux-restful
    $python -m pip install --quiet --no-cache-dir --disable-pip-version-check --require-hashes --only-binary=:all: \
      --target=/opt/flux-restful --requirement=/flux_operator/restful.txt >&8 2>&9 ||
      die "the Flux RESTful API cannot be installed: use an image that has it in /opt/flux-restful"
  fi
  # Jobs start in this directory. Only the API may read the database in it.
  install -d -m 0711 -o "$owner" /var/lib/flux-restful
  cd /var/lib/flux-restful
  FLUX_USER={{quote $spec.FluxRestful.Username}}
  FLUX_TOKEN=$(cat $secrets/token)
  FLUX_SECRET_KEY=$(cat $secrets/secret-key)
  FLUX_TOKEN_SIGNING_KEY=$(od -A n -N 32 -t x1 /dev/urandom | tr -d ' \n')
  export FLUX_USER FLUX_TOKEN FLUX_SECRET_KEY FLUX_TOKEN_SIGNING_KEY FLUX_REQUIRE_AUTH=true FLUX_NUMBER_NODES={{.Size}}
  (
    umask 077
    $python -m flux_restful.cli init
{{- range $spec.Users}}
    $python -c 'import sys; from flux_restful.db.init_db import add_user; add_user(sys.argv[1], sys.stdin.read())' \
      {{quote .Name}} <$secrets/password.{{.Name}}
{{- end}}
  )
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

exec >&8 2>&9
{{.}}
{{- end}}

exit "$status"
