# Every command a developer or CI needs. `make bench` and `make test` set up what they use.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
PYTHON ?= python3
# TF=cuda measures on an NVIDIA GPU, TF=none installs no TensorFlow (diagnose, query and report only).
TF ?= cpu
VENV := .venv
BIN := $(VENV)/bin
# Versions a sweep can also run under; each is one lock file.
TENSORFLOW_VERSIONS := 2.12.1 2.15.1 2.18.1 2.21.0
LOCK_none := requirements/base.lock
LOCK_cpu := requirements/cpu.lock
LOCK_cuda := requirements/cuda.lock

# uv writes the locks (`pip install uv`); installing from them needs pip alone.
COMPILE := uv pip compile pyproject.toml --extra build --universal --python-version 3.11 --generate-hashes \
  --no-emit-index-url --no-header --quiet

.PHONY: bench test check setup dev tensorflow lock clean

bench: setup
	$(BIN)/cliffwatch run --preset quick

# The inner loop: format, lint, types, contracts, unit tests.
check: dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/pytest -q -n 2 tests/unit tests/architecture

# Everything. What measures or starts a server runs alone, one test at a time.
test: check
	$(BIN)/pytest -q -n 2 -m "not tensorflow and not prefect" --ignore tests/unit --ignore tests/architecture tests
	$(BIN)/pytest -q -m "tensorflow or prefect" --durations 15 tests

setup: $(VENV)/.installed-$(TF)
dev: $(VENV)/.installed-dev

$(VENV)/.installed-dev: requirements/dev.lock pyproject.toml
$(VENV)/.installed-%: requirements/base.lock requirements/cpu.lock requirements/cuda.lock pyproject.toml
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --requirement $(or $(LOCK_$*),requirements/$*.lock)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

# A second TensorFlow for `--mitigation none+tensorflow:VERSION`, beside the first: make tensorflow VERSION=2.12.1
tensorflow:
	@test -f requirements/tensorflow/$(VERSION).lock || { echo "VERSION must be one of: $(patsubst requirements/tensorflow/%.lock,%,$(wildcard requirements/tensorflow/*.lock))" >&2; exit 2; }
	$(PYTHON) -m venv .venv-tensorflow/$(VERSION)
	.venv-tensorflow/$(VERSION)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes --requirement requirements/tensorflow/$(VERSION).lock

lock:
	$(COMPILE) --output-file requirements/base.lock
	$(COMPILE) --extra cpu --output-file requirements/cpu.lock
	$(COMPILE) --extra cuda --output-file requirements/cuda.lock
	$(COMPILE) --extra cpu --extra dev --output-file requirements/dev.lock
	for version in $(TENSORFLOW_VERSIONS); do echo "tensorflow-cpu==$$version" | uv pip compile - \
	  --python-platform x86_64-manylinux_2_28 --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --quiet \
	  --output-file requirements/tensorflow/$$version.lock; done

clean:
	rm -rf $(VENV) build *.egg-info .mypy_cache .ruff_cache .pytest_cache .import_linter_cache
