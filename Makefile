# Every command a developer or CI needs; each sets up what it uses. `make help` lists them.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
PYTHON ?= python3
# TF=cuda measures on an NVIDIA GPU, TF=none installs no TensorFlow (diagnose, query and report only).
TF ?= cpu
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check
LOCK_none := requirements/base.lock
LOCK_cpu := requirements/cpu.lock
LOCK_cuda := requirements/cuda.lock
LOCK_dev := requirements/dev.lock
# The CPU and CUDA builds of TensorFlow are packages of the same files: one environment holds one of them.
CONFLICTS_cpu := cuda
CONFLICTS_dev := cuda
CONFLICTS_cuda := cpu dev
# The catalog must also open under the DuckDB before: a second one for that test alone. The check of what is installed
# beside it would compare the wrong two.
INSTALL_MORE_dev = $(PIP) install --no-warn-conflicts --require-hashes --no-deps --upgrade --target $(VENV)/duckdb-1.5 \
  --requirement requirements/duckdb-1.5.lock
# Versions a sweep can also run under; each is one lock file.
TENSORFLOW_VERSIONS := 2.12.1 2.15.1 2.18.1 2.21.0
# uv writes the locks (`pip install uv`); installing from them needs pip alone.
LOCK_FLAGS := --generate-hashes --no-emit-index-url --no-header --quiet
COMPILE := uv pip compile pyproject.toml --extra build --universal --python-version 3.11 $(LOCK_FLAGS)

# Compiled once, not anew in each of the hundred interpreters that the tests start.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help bench check test fuzz faults e2e curve setup dev tensorflow lock clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9]+:.*## / { printf "%-12s %s\n", $$1, $$2 }' Makefile

bench: setup ## install, run the quick sweep (about a minute) and explain it; TF=cuda for a GPU
	$(BIN)/cliffwatch run --preset quick

check: dev ## the inner loop: format, lint, types, contracts, unit tests
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/pytest -q -n 2 -m "not slow" --hypothesis-profile=brief tests/unit tests/architecture tests/fuzz

# What measures or starts a server runs alone, one test at a time.
test: check ## everything that CI runs
	$(BIN)/pytest -q -n 2 -m slow tests/unit
	$(BIN)/pytest -q -n 2 -m "not tensorflow and not prefect" --ignore tests/unit --ignore tests/architecture tests
	$(BIN)/pytest -q -m "tensorflow or prefect" --ignore tests/browser --durations 15 tests

e2e: dev ## the deployments in a real browser (Chromium); its pictures are in build/e2e
	$(BIN)/pytest -q tests/browser

faults: dev ## kill -9, full disks and damage in the middle of real runs
	$(BIN)/pytest -q tests/faults
	$(BIN)/python tests/support/kill_harness.py --kills 200

fuzz: dev ## ten thousand random tables and byte strings through diagnose
	$(BIN)/pytest -q tests/fuzz --hypothesis-profile=fuzz

curve: setup ## measure and draw the picture in the README anew
	rm -rf .cache/curve
	$(BIN)/cliffwatch run --preset quick --device cpu-async --mitigation none --warehouse .cache/curve
	cp .cache/curve/reports/*.svg docs/curve.svg

setup: $(VENV)/.installed-$(TF) ## install into .venv; TF=cpu, cuda or none
dev: $(VENV)/.installed-dev ## install with the development tools

$(VENV)/.installed-%: requirements/base.lock requirements/cpu.lock requirements/cuda.lock requirements/dev.lock pyproject.toml
	@for other in $(CONFLICTS_$*); do test ! -e $(VENV)/.installed-$$other || rm -rf $(VENV); done
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(PIP) install --require-hashes --requirement $(LOCK_$*)
	$(PIP) install --no-deps --no-build-isolation --editable .
	$(INSTALL_MORE_$*)
	@touch $@

tensorflow: ## install a second TensorFlow for none+tensorflow:VERSION: make tensorflow VERSION=2.12.1
	@test -f requirements/tensorflow/$(VERSION).lock || { echo "VERSION must be one of: $(TENSORFLOW_VERSIONS)" >&2; exit 2; }
	$(PYTHON) -m venv .venv-tensorflow/$(VERSION)
	.venv-tensorflow/$(VERSION)/bin/python -m pip --quiet --disable-pip-version-check install --require-hashes \
	  --requirement requirements/tensorflow/$(VERSION).lock

lock: ## write the lock files anew (needs uv)
	$(COMPILE) --output-file requirements/base.lock
	$(COMPILE) --extra cpu --output-file requirements/cpu.lock
	$(COMPILE) --extra cuda --output-file requirements/cuda.lock
	$(COMPILE) --extra cpu --extra dev --output-file requirements/dev.lock
	echo 'duckdb>=1.5,<1.6' | uv pip compile - $(LOCK_FLAGS) --universal --python-version 3.11 \
	  --output-file requirements/duckdb-1.5.lock
	for version in $(TENSORFLOW_VERSIONS); do echo "tensorflow-cpu==$$version" | uv pip compile - $(LOCK_FLAGS) \
	  --python-platform x86_64-manylinux_2_28 --python-version 3.11 --output-file requirements/tensorflow/$$version.lock; done

clean: ## remove everything the targets made
	rm -rf $(VENV) .venv-tensorflow .cache build *.egg-info .mypy_cache .ruff_cache .pytest_cache .import_linter_cache
