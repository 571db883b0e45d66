# `make dataset` and `make test` do all their set-up from a bare Python 3.11; everything lands in .venv and data.
PYTHON ?= python3
PYTHON312 ?= python3.12
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
SOURCE ?=

.PHONY: dataset dev test test-faults test-train test-exports lint clean

dataset: $(READY)  ## build the bundled sample, or SOURCE=path (SchemaPile .json/.json.gz, or a folder of .sql files)
	$(BIN)/sqale build $(if $(SOURCE),--source "$(SOURCE)")

dev: $(READY)  ## open the Dagster UI on what was built
	$(BIN)/sqale dev $(if $(SOURCE),--source "$(SOURCE)")

test: $(READY) lint  ## lint, import contract, definitions, tests
	$(BIN)/dagster definitions validate -w workspace.yaml
	$(BIN)/python -m pytest -n 3 --dist worksteal  # the third waits for daemons more than it works

test-faults: $(READY)  ## the slow tests: kill -9, a provider that is down, a full disk, damage, two builds, a wrong clock
	$(BIN)/python -m pytest -m slow sqale_assets_tests

test-train:  ## the tests that train: they need the extra, which has an environment of its own
	test -d .venv-train || $(PYTHON) -m venv .venv-train
	.venv-train/bin/python -m pip install --quiet --constraint constraints.txt --editable '.[dev,train]'
	.venv-train/bin/python -m pytest sqale_assets_tests/training

test-exports: $(READY)  ## exports loaded by verifiers, SkyRL-Gym and NeMo Gym, which have environments of their own
	test -d .venv-exports || $(PYTHON) -m venv .venv-exports
	.venv-exports/bin/python -m pip install --quiet --editable . verifiers==0.4.0 skyrl-gym==0.4.0 datasets
	test -d .venv-nemo-gym || $(PYTHON312) -m venv .venv-nemo-gym
	.venv-nemo-gym/bin/python -m pip install --quiet nemo-gym==0.4.0
	SQALE_EXPORTS_PYTHON=.venv-exports/bin/python SQALE_NEMO_GYM_PYTHON=.venv-nemo-gym/bin/python \
		$(BIN)/python -m pytest sqale_assets_tests/training/test_exports.py

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
	rm -rf $(VENV) .venv-train .venv-exports .venv-nemo-gym data
