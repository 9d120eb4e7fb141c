#!/bin/bash
# Stands for each program that an entrypoint calls: it notes how it was called, and runs what it was given to run. Flux has
# FLUX_VERSION and a node of FLUX_CORES, and watch.py writes LOST. Brokers without a program fail BROKER_FAILURES times, and
# end well once. In the pause after that, and in that of a sidecar that has ended, the entrypoint is stopped. SLEEPS names a
# program that runs until it is stopped; a broker notes each signal, and takes a while to stop. With "late", sudo is slow. JOURNAL and EVENTLOG are events
# of resources.
name=${0##*/}
# A broker answers once it runs its program.
if [ "$name $1" = "flux getattr" ]; then
  until grep -q '^flux python .*watch.py' "$ROOT/calls"; do /bin/sleep 0.05; done
fi
bin=${0%/*}
{
  printf '%s' "$name"
  printf ' %q' "$@"
  printf '\n'
} >>"$ROOT/calls"
if [ "$name" = "${SLEEPS:-}" ]; then
  exec /bin/sleep 60
fi
case $name in
  id) exit 1 ;;
  chpasswd) sed 's/^/  /' >>"$ROOT/calls" ;;
  sleep)
    if [ -e "$ROOT/ended" ] || [ "$1" = 3600 ]; then
      until [ -s "$ROOT/pid" ]; do /bin/sleep 0.02; done
      kill -TERM "$(cat "$ROOT/pid")"
      exec /bin/sleep 60
    fi
    ;;
  sudo)
    # As sudo does, it passes SIGTERM on.
    while [ "$1" != env ]; do shift; done
    if [ "${SLEEPS:-}" = late ]; then
      trap '' TERM
      /bin/sleep 11
    fi
    trap 'kill -TERM "$!"; wait "$!"; exit $?' TERM
    "$@" <&0 &
    wait "$!"
    exit $?
    ;;
  time)
    shift 2
    "$@" # SIGTERM ends it at once
    exit $?
    ;;
  tar) [ "$(cat "$2")" = whole ] && exit ;;
  mv) exec /bin/mv "$@" ;;
  flux-broker-0)
    trap 'echo "broker gets SIGTERM" >>"$ROOT/calls"; stopping=yes' TERM
    echo >>"$ROOT/starts"
    until [ "${stopping:-}" ]; do /bin/sleep 0.05; done
    for _ in 1 2 3 4 5; do /bin/sleep 0.05; done
    echo "broker stopped" >>"$ROOT/calls"
    ;;
  flux)
    verb=$1
    shift
    case $verb in
      version) printf 'commands:    \t\t%s\nbuild-options:\t\t+hwloc==2.8.0\n' "$FLUX_VERSION" ;;
      R) [ "$1" = encode ] || echo "$FLUX_CORES" ;;
      python)
        case $1 in
          -m) exit ;;
          -c)
            sed 's/^/  /' >>"$ROOT/calls"
            echo >>"$ROOT/calls"
            exit
            ;;
        esac
        shift
        "$@"
        status=$?
        [ "$status" = 0 ] || echo "${LOST:-}" >"$ROOT/run/flux/lost"
        exit "$status"
        ;;
      start)
        [[ "${SLEEPS:-}" != @(broker|late) ]] || exec "$bin/flux-broker-0" "$@"
        while [ $# -gt 0 ]; do
          case $1 in
            -o)
              case $2 in -Scontent.dump=*) echo "${DUMP:-whole}" >"${2#*=}" ;; esac
              shift 2
              ;;
            --wrap=*) shift ;;
            *) exec "$@" ;;
          esac
        done
        echo >>"$ROOT/starts"
        [ "$(wc -l <"$ROOT/starts")" -gt "${BROKER_FAILURES:-0}" ] && echo >"$ROOT/ended"
        ;;
      run)
        while [ "$1" != bash ]; do shift; done
        exec "$@"
        ;;
      submit)
        while [ "$1" != bash ]; do shift; done
        exec "$@"
        ;;
      resource) [ "${JOURNAL:-}" ] && printf '%s' "$JOURNAL" ;;
      kvs) printf '%s' "${EVENTLOG:-}" ;;
      batch)
        bash "${!#}" >"$ROOT/batch" 2>&1
        echo $? >"$ROOT/batch.status"
        echo fJob
        ;;
      job)
        [ "$1" = attach ] || exit 0
        cat "$ROOT/batch"
        exit "$(cat "$ROOT/batch.status")"
        ;;
    esac
    ;;
esac
