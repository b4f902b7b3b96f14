#!/usr/bin/env bash
# Puts `threadwise` on the path of the job: a release if VERSION names one, else built from the source of this action.
set -euo pipefail

bin="${RUNNER_TEMP:?}/threadwise-bin"
mkdir -p "$bin"
if [[ -n "${VERSION:-}" ]]; then
  # A release has an archive for each platform, and its checksum beside it.
  gh release download "$VERSION" --repo "${REPOSITORY:?}" --pattern "threadwise-*-x86_64-*.tar.gz*" --dir "$bin" --clobber
  (cd "$bin" && for sum in *.sha256; do sha256sum --check "$sum"; done && tar --extract --gzip --strip-components=1 --file ./*.tar.gz)
else
  cargo build --release --bin threadwise --manifest-path "${GITHUB_ACTION_PATH:?}/Cargo.toml"
  cp "${CARGO_TARGET_DIR:-$GITHUB_ACTION_PATH/target}/release/threadwise" "$bin"
fi
echo "$bin" >>"${GITHUB_PATH:?}"
"$bin/threadwise" --version
