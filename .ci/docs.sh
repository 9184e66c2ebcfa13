#!/usr/bin/env bash
# Builds the site into build/docs/html and checks it. Installed is what .ci/setup.sh docs brings.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
python=${PYTHON:-.venv/bin/python}

bash .ci/browser.sh
"$python" -m sphinx --fail-on-warning --keep-going --nitpicky --jobs 2 --quiet \
  -d build/docs/doctrees docs build/docs/html
"$python" -m codespell_lib README.md CHANGELOG.md CONTRIBUTING.md docs python cpp examples
"$python" -m pytest -q docs/tests
