#!/usr/bin/env bash
# Build nsmb with scalable thresholds next to the ordinary installation, and determine which test
# fails when one of them is wrong. Options: python -m tests.support.tolerances --help.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
site=$PWD/build/tolerances/site

SKBUILD_BUILD_DIR=build/tolerances/cmake SKBUILD_CMAKE_DEFINE="NSMB_MUTABLE_TOLERANCES=ON" \
  .venv/bin/python -m pip --quiet --disable-pip-version-check install \
  --no-build-isolation --no-deps --upgrade --target "$site" .

PYTHONPATH=$site .venv/bin/python -m tests.support.tolerances "$@"
