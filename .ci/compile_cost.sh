#!/usr/bin/env bash
# Recompile the module in build/compile-cost and print processor time and memory of each
# compilation. Arguments: limits of .ci/compile_cost.py.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
python=$PWD/.venv/bin/python
build=build/compile-cost

rm -rf $build
mkdir -p $build
PATH=$(dirname "$python"):$PATH  # CMake and Ninja of the environment
export CCACHE_DISABLE=1 NSMB_COMPILE_COST=$PWD/$build/cost.tsv
cmake -G Ninja -S . -B $build -DCMAKE_BUILD_TYPE=Release -DPython_EXECUTABLE="$python" \
  -Dpybind11_DIR="$("$python" -m pybind11 --cmakedir)" \
  -DCMAKE_CXX_COMPILER_LAUNCHER="$python;$PWD/.ci/compile_cost.py" >$build/log
cmake --build $build --target _core -j "${NSMB_JOBS:-2}" >>$build/log
"$python" .ci/compile_cost.py --table "$NSMB_COMPILE_COST" "$@"
