#!/usr/bin/env bash
# Build the site into build/docs/html and check it. Requires the packages of .ci/setup.sh docs.
# Usage: .ci/docs.sh [--text]
#   --text  pages and links without the results of their code: no gallery, no outputs, no panels.
#           It takes a few minutes and builds into build/docs/text.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
python=${PYTHON:-.venv/bin/python}

case "${1:-}" in
  --text)
    site=build/docs/text
    mkdir -p build/browser/static
    options=(-D nb_execution_mode=off -D plot_gallery=0)
    tests=(docs/tests/test_links.py docs/tests/test_names.py docs/tests/test_texts.py)
    ;;
  "")
    site=build/docs/html
    bash .ci/browser.sh
    options=()
    tests=(docs/tests)
    ;;
  *) echo "docs: unknown option $1" >&2; exit 2 ;;
esac

"$python" -m sphinx --fail-on-warning --keep-going --nitpicky --jobs 2 --quiet \
  "${options[@]}" -d "$site-doctrees" docs "$site"
"$python" -m codespell_lib README.md CHANGELOG.md CONTRIBUTING.md docs python cpp examples
NSMB_SITE=$site "$python" -m pytest -q "${tests[@]}"
