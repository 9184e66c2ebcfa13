# Two commands, each complete on a fresh Debian or Ubuntu machine: make demo, make test.
VENV := .venv
# With the interpreter named in `make PYTHON=... demo`; the commands below run that of .venv.
SETUP := PYTHON="$(PYTHON)" bash .ci/setup.sh
override PYTHON := $(VENV)/bin/python
JOBS := $(shell getconf _NPROCESSORS_ONLN)
# Folders are listed too: their time changes when a file is added or removed.
SOURCES := pyproject.toml CMakeLists.txt .ci/setup.sh \
  $(shell find cmake cpp python -name __pycache__ -prune -o -print)

.PHONY: demo test test-full test-slow lint format bench bench-record bench-check campaign tolerances mutants sanitize sanitize-campaign notebooks docs docs-text browser wheel compile-cost clean help

demo: $(VENV)/nsmb-demo ## install and run the woodpecker toy; draws woodpecker.png
	$(VENV)/bin/nsmb run woodpecker --t-end 2 --plot woodpecker.png --last-cycle

# Cores take tests from each other when they have none left. Byte code is kept, whatever the shell says.
PYTEST := PYTHONDONTWRITEBYTECODE= $(PYTHON) -m pytest -q --nothing-skipped -n $(JOBS) --dist worksteal

test: lint ## install, lint, type-check and run the quick tests
	$(PYTEST) -m "not slow"

test-full: lint ## the same with all tests
	$(PYTEST)

test-slow: $(VENV)/nsmb-dev ## only the tests that make test leaves out; MOST=2: those below 2 s
	$(PYTEST) -m slow $(if $(MOST),--cost-at-most $(MOST))

lint: $(VENV)/nsmb-dev ## formatting, style and types only (types from Python 3.11 on)
	find cpp examples -name '*.[ch]pp' -print0 | xargs -0 $(VENV)/bin/clang-format --dry-run --Werror
	$(VENV)/bin/ruff check
	$(VENV)/bin/ruff format --check
	bash .ci/types.sh $(PYTHON)

format: $(VENV)/nsmb-dev ## rewrite C++ and Python sources in the project's style
	find cpp examples -name '*.[ch]pp' -print0 | xargs -0 $(VENV)/bin/clang-format -i
	$(VENV)/bin/ruff check --fix-only
	$(VENV)/bin/ruff format

bench: $(VENV)/nsmb-dev ## run the benchmarks
	$(PYTHON) benchmarks/run.py

bench-record: $(VENV)/nsmb-dev ## run them and keep the numbers for the site
	$(PYTHON) benchmarks/run.py --record

bench-check: $(VENV)/nsmb-bench ## instructions, allocations, bytes beside the last release; alarm at 3 %
	$(PYTHON) benchmarks/run.py counts --check --json build/counts.json

campaign: $(VENV)/nsmb-dev ## random systems against independent checks, an hour on two cores
	$(PYTHON) -m tests.campaign
	$(PYTHON) -m tests.campaign.long_runs
	$(PYTHON) -m tests.campaign.flexible_runs
	$(PYTHON) -m tests.campaign.polygons --count 2000
	for scheme in midpoint hybrid; do \
	  $(PYTHON) -m tests.campaign.polygons --count 2000 --scheme $$scheme || exit; done
	$(PYTEST) -m hypothesis --hypothesis-profile=fresh

tolerances: $(VENV)/nsmb-dev ## which test fails when a threshold of the core is wrong, some hours
	bash .ci/tolerances.sh

mutants: $(VENV)/nsmb-dev ## build mutants of the core and show which tier finds them, some hours
	$(PYTHON) -m tests.support.mutants

sanitize: $(VENV)/nsmb-dev ## run the core's tests under the address and undefined-behaviour sanitizers
	bash .ci/sanitize.sh

sanitize-campaign: $(VENV)/nsmb-dev ## ten minutes of the campaign's systems under the sanitizers
	bash .ci/sanitize.sh campaign

notebooks: $(VENV)/nsmb-dev ## execute the notebooks and store them with their pictures
	$(PYTHON) notebooks/store.py

docs: $(VENV)/nsmb-docs ## build the site into build/docs/html and check it
	bash .ci/docs.sh

docs-text: $(VENV)/nsmb-docs ## build its pages without the results of their code and check them
	bash .ci/docs.sh --text

browser: $(VENV)/nsmb-docs ## build what runs in pages of the site into build/browser
	bash .ci/browser.sh

wheel: ## sdist and repaired wheel in dist/, tried where no compiler is (Linux)
	bash .ci/wheel.sh

compile-cost: $(VENV)/nsmb-demo ## compile everything anew: processor time and memory of each compilation
	bash .ci/compile_cost.sh

clean: ## remove everything built or installed here
	rm -rf build docs/gallery docs/sg_execution_times.rst $(VENV) .mypy_cache .pytest_cache .ruff_cache .hypothesis

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-17s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# The stamp of each set of extras is newer than every source it was installed from.
$(VENV)/nsmb-demo: $(SOURCES)
	$(SETUP) plot
	@touch $@

$(VENV)/nsmb-dev: $(SOURCES)
	$(SETUP) dev
	@touch $@

$(VENV)/nsmb-bench: $(SOURCES)
	$(SETUP) dev,bench
	@touch $@

$(VENV)/nsmb-docs: $(SOURCES)
	$(SETUP) docs
	@touch $@
