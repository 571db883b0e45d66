# `make dataset` and `make test` do all their set-up from a bare Python 3.11; everything lands in .venv and data.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
SOURCE ?=

.PHONY: dataset dev test test-faults test-train lint clean

dataset: $(READY)  ## build the bundled sample, or SOURCE=path (SchemaPile .json/.json.gz, or a folder of .sql files)
	$(BIN)/sqale build $(if $(SOURCE),--source "$(SOURCE)")

dev: $(READY)  ## open the Dagster UI on what was built
	$(BIN)/sqale dev $(if $(SOURCE),--source "$(SOURCE)")

test: $(READY) lint  ## lint, import contract, definitions, tests
	$(BIN)/dagster definitions validate -w workspace.yaml
	$(BIN)/python -m pytest -n 3 --dist worksteal  # the third waits for daemons more than it works

test-faults: $(READY)  ## the slow tests: kill -9, a provider that is down, a full disk, damage, two builds, a wrong clock
	$(BIN)/python -m pytest -m slow sqale_assets_tests

test-train: $(READY)  ## the tests that train: they need the extra, which has an environment of its own
	test -d .venv-train || $(PYTHON) -m venv .venv-train
	.venv-train/bin/python -m pip install --quiet --constraint constraints.txt --editable '.[dev,train]'
	.venv-train/bin/python -m pytest sqale_assets_tests/training

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(None if sys.version_info >= (3, 11) else "Python 3.11 or newer is needed: make PYTHON=python3.11")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[dev]'
	touch $(READY)

clean:
	rm -rf $(VENV) .venv-train data
