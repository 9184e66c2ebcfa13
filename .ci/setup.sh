#!/usr/bin/env bash
# Install nsmb with the given extras into .venv, after all missing prerequisites.
# Usage: .ci/setup.sh plot
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
extras=$1

say() { printf 'setup: %s\n' "$*" >&2; }
die() { say "$*"; exit 1; }

find_python() {  # print PYTHON if it is set, otherwise the first Python >= 3.10
  local name names=(python3 python3.{14,13,12,11,10} /usr/bin/python3)
  [ -z "${PYTHON:-}" ] || names=("$PYTHON")
  for name in "${names[@]}"; do
    if "$name" -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null; then
      command -v "$name"
      return
    fi
  done
  return 1
}

have_compiler() { command -v "${CXX:-g++}" >/dev/null || command -v c++ >/dev/null; }
have_venv() { "$1" -c 'import ensurepip, venv' 2>/dev/null; }
have_headers() {
  "$1" -c 'import os, sysconfig; os.stat(sysconfig.get_path("include") + "/Python.h")' 2>/dev/null
}
have_include() { [ -e "/usr/include/$1" ] || [ -e "/usr/local/include/$1" ]; }

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi
}
may_install() {
  command -v apt-get >/dev/null && { [ "$(id -u)" = 0 ] || sudo -n true 2>/dev/null; }
}
apt() {
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq "$@" </dev/null >/dev/null
}

install_system_packages() {
  local python=$1 debian=python3 missing=()
  # Debian has separate packages, by version, for venv and the headers of its own interpreters only.
  case $python in /usr/bin/*) debian=$("$python" -c 'import sys; print("python%d.%d" % sys.version_info[:2])') ;; esac
  [ -n "$python" ] || missing+=(python3)
  have_compiler || missing+=(g++)
  { [ -n "$python" ] && have_venv "$python"; } || missing+=("$debian-venv")
  { [ -n "$python" ] && have_headers "$python"; } || missing+=("$debian-dev")
  have_include eigen3/Eigen/Core || missing+=(libeigen3-dev)
  have_include cvode/cvode.h || missing+=(libsundials-dev)
  mapfile -t -O "${#missing[@]}" missing < <(missing_tools)
  [ ${#missing[@]} -gt 0 ] || return 0
  if ! may_install; then
    say "not installed and not allowed to install: ${missing[*]}"
    return 0
  fi
  say "installing ${missing[*]}"
  apt update || say "apt-get update failed; trying with the lists at hand"
  local package
  for package in "${missing[@]}"; do  # one by one, so that failures do not stop others
    # 6.4 and later only; distributions build 7 with MPI, which no wheel should need
    if [ "$package" = libsundials-dev ] &&
      [[ ! $(apt-cache policy libsundials-dev) =~ Candidate:\ 6\.([4-9]|[1-9][0-9]) ]]; then
      say "the distribution's SUNDIALS is not a usable version; CMake will fetch it"
      continue
    fi
    apt install -y --no-install-recommends "$package" || say "could not install $package"
  done
}

venv_works() { .venv/bin/python -m pip --version >/dev/null 2>&1; }

wants() { case ,$extras, in *,"$1",*) ;; *) false ;; esac; }

have_egl() { compgen -G '/usr/lib*/libEGL.so.1' || compgen -G '/usr/lib/*/libEGL.so.1'; }

missing_tools() {  # print the missing non-Python programs that the extras run
  # for 3D figures without a display
  if [ "$(uname)" = Linux ] && { wants dev || wants docs || wants test || wants view || wants all; }; then
    have_egl >/dev/null || printf '%s\n' libegl1 libgl1-mesa-dri
  fi
  # for the browser tests
  if wants dev || wants docs; then command -v chromium >/dev/null || echo chromium; fi
  if wants bench; then command -v valgrind >/dev/null || echo valgrind; fi
  if wants docs; then
    command -v doxygen >/dev/null || echo doxygen
    command -v em++ >/dev/null || echo emscripten
    command -v esbuild >/dev/null || echo esbuild
    [ -n "${NSMB_KATEX:-}" ] || [ -e /usr/share/javascript/katex/katex.min.js ] || echo libjs-katex
  fi
}

[ -z "${PYTHON:-}" ] || find_python >/dev/null || die "PYTHON: must be a Python >= 3.10, got $PYTHON. Leave it out to take the one on the path."
if [ ! -e .venv/installed ] || ! venv_works || [ -n "$(missing_tools)" ]; then
  install_system_packages "$(find_python || true)"
fi
have_compiler || die "no C++ compiler found. Install one (Debian, Ubuntu: sudo apt-get install g++) and run again."
if ! venv_works; then
  python=$(find_python) || die "no Python >= 3.10 found. Install one (Debian, Ubuntu: sudo apt-get install python3-venv python3-dev) and run again."
  have_headers "$python" || die "the headers of $python are missing (Debian, Ubuntu: sudo apt-get install python3-dev)."
  say "creating .venv with $("$python" --version) ($python)"
  rm -rf .venv
  "$python" -m venv .venv || die "could not create .venv (Debian, Ubuntu: sudo apt-get install python3-venv)."
fi

pip_install() { .venv/bin/python -m pip --quiet --disable-pip-version-check install "$@"; }

# Install build tools into .venv once; without build isolation a rebuild then takes seconds.
if [ ! -e .venv/build-tools ] || [ pyproject.toml -nt .venv/build-tools ]; then
  say "installing the build tools"
  mapfile -t tools < <(.venv/bin/python - <<'P'
import ast, pathlib, re
text = pathlib.Path("pyproject.toml").read_text(encoding="utf-8")  # tomllib: Python >= 3.11 only
print(*ast.literal_eval(re.search(r"^requires = (\[.*?\])", text, re.M | re.S)[1]), sep="\n")
P
  )
  pip_install "${tools[@]}" "cmake>=3.18" ninja
  touch .venv/build-tools
fi

# Set in both cases, because the build folder stores the last value.
strict=$([ -n "${CI:-}" ] && echo ON || echo OFF)
export SKBUILD_CMAKE_DEFINE="${SKBUILD_CMAKE_DEFINE:+$SKBUILD_CMAKE_DEFINE;}NSMB_WARNINGS_AS_ERRORS=$strict"
say "building and installing nsmb[$extras]"
pip_install --no-build-isolation ".[$extras]"
touch .venv/installed  # system packages are not checked again from now on
