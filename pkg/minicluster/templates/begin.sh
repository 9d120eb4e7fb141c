{{define "begin"}}
# Process 1 ignores signals that it does not trap, and a shell runs its traps between commands. So process 1 waits,
# and everything else runs in a child process.
if [ $# = 0 ]; then
{{- if .Flux}}
  # broker prints the process ID of the broker below process $1. Brokers below another broker are those of jobs.
  broker() {
    local file line pid brokers=' ' parents=()
    for file in /proc/[0-9]*/stat; do
      read -r line <"$file" || continue
      pid=${line%% *}
      case $line in *'(flux-broker'*) brokers+="$pid " ;; esac
      line=${line##*') '}
      line=${line#* }
      parents[pid]=${line%% *}
    done 2>/dev/null
    for line in $brokers; do
      pid=${parents[line]}
      while [ "${pid:-0}" -gt 0 ] && [[ "$brokers" != *" $pid "* ]]; do
        if [ "$pid" = "$1" ]; then
          echo "$line"
          return 0 # without 0, the status in a trap is that of what the trap interrupted
        fi
        pid=${parents[pid]}
      done
    done
    return 1
  }
  # young reports whether process $1 started less than 3 seconds ago.
  young() {
    local now stat
    read -r now _ </proc/uptime && read -r stat <"/proc/$1/stat" || return 1
    read -ra stat <<<"${stat##*') '}"
    [ $((${now/./} - stat[19])) -lt 300 ]
  }
  # pause waits for $1 seconds, in a shell whose signals sleep would hold up.
  pause() { read -rt "$1" <> <(:) || :; }
  # end kills the broker of a worker, which keeps nothing: at its end it waits for an answer of its lead, which may be gone.
  end() {
    pause 10
    while kill -0 "$child"; do
      ! pid=$(broker "$child") || kill -KILL "$pid"
      pause 1
    done
  } 2>/dev/null
{{- end}}
  stop() {
    trap '' TERM
{{- if .Flux}}
{{- if .Extends}}
    end &
{{- else}}
    [ "$JOB_COMPLETION_INDEX" = 0 ] || end &
{{- end}}
    # A broker shuts down at the first SIGTERM and cuts that short at the second one, so sudo and /usr/bin/time,
    # which would pass it on or not wait, get none. But sudo that has not started it yet, and a broker that is still
    # loading, ignore SIGTERM, and get it again.
    seen=
    while kill -0 "$child"; do
      if pid=$(broker "$child"); then
        seen=yes
        kill -TERM "$child" "$pid"
        young "$pid" || return 0
        pause 1.5
      elif [ "$seen" ]; then
        return 0
      else
        kill -TERM 0
      fi
      pause 0.5
    done 2>/dev/null
    return 0
{{- else}}
    kill -TERM 0
{{- end}}
  }
  trap stop TERM
  {{.Shell}} "$0" child &
  child=$!
  status=0
  wait "$child" || status=$?
  while kill -0 "$child" 2>/dev/null; do
    status=0
    wait "$child" || status=$?
  done
  exit "$status"
fi
{{if .MiniCluster.Spec.Logging.Quiet}}
# Only the output of the command and of commands.post is shown, through 8 and 9.
exec 8>&1 9>&2 >/dev/null 2>&1
{{- else}}
exec 8>&1 9>&2
{{- end}}

# report shows why the container fails, and leaves it to the operator as the termination message.
reported=
report() {
  reported=yes
  printf 'flux-operator: %s\n' "$*" >&9
  printf '%s\n' "$*" 2>/dev/null >/dev/termination-log || true
}
stopped=
trap 'stopped=yes; exit 143' TERM
trap finish EXIT
{{- end}}

{{define "init"}}
{{- with .Container.Commands.Init}}

{{.}}
{{- end}}
{{- if .Strict}}

set -e
if (set -o pipefail) 2>/dev/null; then set -o pipefail; fi
{{- end}}
{{- end}}
