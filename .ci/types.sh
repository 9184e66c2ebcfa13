#!/usr/bin/env bash
# Check the types of the package and of the stubs of the core with the newest NumPy's annotations.
set -euo pipefail
python="$1"
if ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
  echo "types: not checked with Python 3.10, whose last NumPy annotates arrays otherwise"
  exit 0
fi
"$python" -m mypy
"$python" -m mypy.stubtest nsmb._core --concise --ignore-disjoint-bases \
  --mypy-config-file pyproject.toml --allowlist .ci/stubtest.txt
