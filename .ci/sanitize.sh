#!/usr/bin/env bash
# Build nsmb with sanitizers next to the ordinary installation and run the core's tests on it.
# sanitize.sh campaign [minutes] [options]: run the systems of the campaign instead, for 10 minutes.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
site=$PWD/build/sanitize/site

SKBUILD_BUILD_DIR=build/sanitize/cmake SKBUILD_CMAKE_BUILD_TYPE=RelWithDebInfo \
  SKBUILD_CMAKE_DEFINE="NSMB_SANITIZE=ON" \
  .venv/bin/python -m pip --quiet --disable-pip-version-check install \
  --no-build-isolation --no-deps --upgrade --target "$site" .

# The interpreter is not built with the sanitizers, so their runtime must be loaded first, together
# with libstdc++. Otherwise the first C++ exception finds no __cxa_throw to forward to.
cxx=${CXX:-g++}
preload=""
for library in libasan.so libstdc++.so; do
  preload+="${preload:+:}$(realpath "$("$cxx" -print-file-name=$library)")"
done
export ASAN_OPTIONS=detect_leaks=0  # the interpreter holds memory until the process ends
export UBSAN_OPTIONS=print_stacktrace=1
export PYTHONPATH=$site
run() { LD_PRELOAD=$preload .venv/bin/python "$@"; }

run -c 'import sys, nsmb._core as m; sys.exit(not m.__file__.startswith(sys.argv[1]))' "$site"
if [ "${1:-}" = campaign ]; then
  # A report ends the worker: a "crash".
  run -m tests.campaign --sanitized --minutes "${2:-10}" --folder build/sanitize/campaign "${@:3}"
  exit
fi
# A report ends the process, so it must not wait in pytest's capture of file descriptor 2.
run -m pytest -q -p no:cacheprovider --capture=sys \
  tests/complementarity tests/integration tests/system tests/contact_laws tests/simulation \
  tests/geometry tests/multibody tests/stepping tests/flexible tests/symbolic
