#!/usr/bin/env bash
# Runs Threadwise on two small programs and looks at the verdicts. For the archive, in whose top folder it stands; elsewhere
# the program is the first argument.
set -uo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
program="${1:-$here/threadwise}"
failed=0

expect() {
  local verdict
  verdict="$("$program" check --format svcomp --quiet --timeout 60 --property "$here/properties/no-data-race.prp" \
    --data-model LP64 --witness "$witness" "$here/smoketest/$1")"
  if [[ "$verdict" == "$2" ]] && "$program" audit --quiet --timeout 60 "$here/smoketest/$1" "$witness" >/dev/null; then
    echo "$1: $verdict, and its witness is confirmed"
  else
    echo "$1: expected $2 and a witness that is confirmed, got '$verdict'"
    failed=1
  fi
}

scratch="$(mktemp -d)"
trap 'rm -rf "$scratch"' EXIT
witness="$scratch/witness.yml"
"$program" --version || failed=1
expect locked.c 'true'
expect unlocked.c 'false(no-data-race)'
exit "$failed"
