#!/usr/bin/env bash
# Build the scripts of the site's pages into build/browser/static/browser: the core as WebAssembly
# (core.js), and script and style of the panels. Only changed parts are rebuilt.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
python=${PYTHON:-.venv/bin/python}
build=build/browser
static=$build/static/browser

for tool in em++ esbuild; do
  command -v $tool >/dev/null || {
    echo "browser: $tool is missing (Debian, Ubuntu: sudo apt-get install emscripten esbuild)" >&2
    exit 1
  }
done

# Debian's Emscripten links with a Node package that Node does not find by default.
export NODE_PATH=${NODE_PATH:-/usr/share/nodejs}
PATH=$(cd "$(dirname "$python")" && pwd):$PATH  # CMake and Ninja of the environment

if [ ! -e $build/cmake/build.ninja ]; then
  emcmake cmake -G Ninja -S . -B $build/cmake -DNSMB_BROWSER=ON >$build.log 2>&1 || {
    cat $build.log >&2
    exit 1
  }
fi
cmake --build $build/cmake -j "${NSMB_JOBS:-2}" | { grep -v "^\[\|no work to do" || true; }

mkdir -p $static
cp -u $build/cmake/core.js docs/browser/app/style.css $static/
"$python" docs/browser/export_data.py $build/data.json
esbuild docs/browser/app/main.js --bundle --minify --charset=utf8 --target=es2020 \
  --alias:nsmb-data=./$build/data.json --log-level=warning --outfile=$static/panels.js
