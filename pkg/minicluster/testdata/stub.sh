#!/bin/bash
# Stands for each program that an entrypoint calls: it notes how it was called, and runs what it was
# given to run. Flux has FLUX_VERSION, and brokers without a program fail BROKER_FAILURES times.
name=${0##*/}
{
  printf '%s' "$name"
  printf ' %q' "$@"
  printf '\n'
} >>"$ROOT/calls"
case $name in
  id) exit 1 ;;
  chpasswd) sed 's/^/  /' >>"$ROOT/calls" ;;
  sudo)
    while [ "$1" != env ]; do shift; done
    exec "$@"
    ;;
  time)
    shift 2
    exec "$@"
    ;;
  flux)
    verb=$1
    shift
    case $verb in
      version) printf 'commands:    \t\t%s\nbuild-options:\t\t+hwloc==2.8.0\n' "$FLUX_VERSION" ;;
      start)
        while [ $# -gt 0 ]; do
          case $1 in
            -o) shift 2 ;;
            --wrap=*) shift ;;
            *) exec "$@" ;;
          esac
        done
        if [ "${BROKER_SLEEPS:-}" ]; then
          trap 'echo "broker stopped" >>"$ROOT/calls"; exit 0' TERM
          echo "broker runs" >>"$ROOT/calls"
          while :; do /bin/sleep 0.05; done
        fi
        echo >>"$ROOT/starts"
        [ "$(wc -l <"$ROOT/starts")" -gt "${BROKER_FAILURES:-0}" ]
        ;;
      submit)
        while [ "$1" != bash ]; do shift; done
        exec "$@"
        ;;
      batch) exec bash "${!#}" ;;
    esac
    ;;
esac
