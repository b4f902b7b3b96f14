#!/usr/bin/env bash
# Verifies the programs that FILES names, one pattern a line, with OPTIONS; writes SARIF and JUNIT, and prints annotations.
set -uo pipefail
shopt -s globstar nullglob

# A pattern is expanded, and is never a command; blanks belong to the name.
expand() {
  local IFS=
  found=($1)
}

files=()
while IFS= read -r pattern; do
  [[ -z "${pattern//[[:space:]]/}" ]] && continue
  expand "$pattern"
  ((${#found[@]})) || { echo "::error title=Threadwise::no file is named ${pattern//%/%25}"; exit 2; }
  files+=("${found[@]}")
done <<<"${FILES:?}"

read -ra options <<<"${OPTIONS:-}"
[[ -n "${SARIF:-}" ]] && options+=(--sarif "$SARIF")
[[ -n "${JUNIT:-}" ]] && options+=(--junit "$JUNIT")
threadwise check --format github "${options[@]}" -- "${files[@]}"
code=$?
echo "exit-code=$code" >>"${GITHUB_OUTPUT:-/dev/null}"
[[ $code == 5 && "${FAIL_ON_UNKNOWN:-true}" != true ]] && code=0
exit $code
