# `make` sets everything up; `make help` lists the rest.
# Another Python: make PYTHON=python3.12. Tests one by one: make test WORKERS=0
PYTHON ?= python3
WORKERS ?= 2
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.installed
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt
PYTEST := $(BIN)/python -m pytest

export PYTHONNOUSERSITE := 1
# A machine that forbids .pyc files would compile the package anew for every process that a test starts.
unexport PYTHONPATH PYTHONHOME PYTHONDONTWRITEBYTECODE

.PHONY: all help demo test check bench soak lint types constraints clean
.DEFAULT_GOAL := all

all: $(READY) ## make .venv with all that the project needs (again only when the pins change)

help: ## list the targets
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  make \1\t\2/p' $(firstword $(MAKEFILE_LIST)) | expand -t 20

demo: $(READY) ## the main job on a sample history: record, extract, recall, rebuild
	$(BIN)/eunoe demo

test: lint types ## everything but the soak: ruff, mypy, all tests
	$(PYTEST) -n $(WORKERS) -m "not soak"

check: lint types ## the fast part: ruff, mypy, unit tests
	$(PYTEST) -m "not soak and not slow" tests/unit

bench: $(READY) ## the benchmarks, as ratios in one run
	$(BIN)/python tests/bench/run.py

soak: $(READY) ## all tests with full counts
	EUNOE_SOAK=1 $(PYTEST)

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(READY)
	$(BIN)/mypy

# Removed only when it can't run pip: half made, or made by a Python that has gone.
$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "Eunoe needs Python 3.11 or later, and $(PYTHON) is: $$($(PYTHON) --version 2>&1)." >&2; \
	  echo "Name another one: make PYTHON=python3.12" >&2; exit 1; }
	@echo "Setting up $(VENV) (about a minute, once)"
	@$(BIN)/python -m pip --version >/dev/null 2>&1 || $(PYTHON) -m venv --clear $(VENV)
	@$(PIP) hatchling
	@$(PIP) --no-build-isolation --editable '.[dev]'
	@touch $@

constraints: ## pin anew what a fresh install brings
	rm -rf build/constraints
	$(PYTHON) -m venv build/constraints
	build/constraints/bin/python -m pip install --quiet --disable-pip-version-check '.[dev]'
	{ echo "# What a fresh install of .[dev] brings. Made by: make constraints"; \
	  build/constraints/bin/python -m pip freeze --exclude eunoe | grep -E '^[A-Za-z0-9._-]+==[^ ]+$$'; \
	} > constraints.txt.new
	mv constraints.txt.new constraints.txt
	rm -rf build/constraints

clean: ## remove .venv, builds and caches; never a memory
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
