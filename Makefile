# Verbs of this repository. The environment is .venv, made with nothing but python3 and pip.
PYTHON ?= python3
BIN := .venv/bin
SAMPLE_HOME ?= .fieldmark
WAITING := tests/processes tests/faults
DRIVING := tests/pipeline tests/ui tests/dropin tests/client

.PHONY: setup setup-test run test test-waiting test-driving test-working check bench quality train lock samples format

setup: .venv/.runtime

setup-test: .venv/.test

.venv/bin/python:
	$(PYTHON) -m venv .venv

.venv/.runtime: requirements/runtime.txt pyproject.toml | .venv/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/runtime.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --editable .
	touch $@

.venv/.test: requirements/test.txt requirements/model-server.txt .venv/.runtime
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/test.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps --only-binary :all: -r requirements/model-server.txt
	touch $@

# Everything a stranger needs to see: the samples become records, then the service stays up (ONCE=1 ends it).
run: setup
	$(BIN)/python samples/run.py --home $(SAMPLE_HOME) $(if $(ONCE),--once)

check: setup-test
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/basedpyright
	$(BIN)/lint-imports
	$(BIN)/python -m pytest -q tests/unit tests/architecture

# Three parts beside each other: whole processes that are waited for, a pipeline or a screen that is driven, and the rest.
test: setup-test
	$(MAKE) --jobs=3 test-waiting test-driving test-working

test-waiting: setup-test
	$(BIN)/python -m pytest -q $(WAITING)

test-driving: setup-test
	$(BIN)/python -m pytest -q $(DRIVING)

test-working: setup-test
	$(BIN)/python -m pytest -q $(patsubst %,--ignore=%,$(WAITING) $(DRIVING))

bench: setup-test
	$(BIN)/python -m benchmarks.run
	$(BIN)/python -m benchmarks.calls
	$(BIN)/python -m benchmarks.speed

# The whole evaluation: every set of FIELDMARK_EVAL (or ../shared/eval), written to docs/quality.md.
quality: setup-test
	$(BIN)/python -m benchmarks.quality

# The weights of the embedded model from nothing: the same file on every run. Reads FIELDMARK_EVAL (or ../shared/eval).
train: setup-test
	$(BIN)/python -m training.run

format:
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

samples: setup-test
	$(BIN)/python samples/make.py
	$(BIN)/python samples/pictures.py

lock:
	$(PYTHON) -m venv build/lock && build/lock/bin/pip install --quiet uv
	build/lock/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-annotate --no-header \
	  --extra postgres --extra s3 --output-file requirements/runtime.txt pyproject.toml
	build/lock/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-annotate --no-header \
	  --extra parquet --extra postgres --extra s3 --group test --constraints requirements/runtime.txt --output-file requirements/test.txt pyproject.toml
	build/lock/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-annotate --no-header \
	  --no-deps --group pyproject.toml:model-server --output-file requirements/model-server.txt
