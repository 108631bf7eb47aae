# The commands of the project. Each does its own set-up and works twice in a row.
#
#   make demo    a whole party on this machine, without a Flickr key
#   make test    every test
#   make test-torchvision   torchvision's reader over releases; fetches torch, which no other test needs
#   make docs    the manual as a site with search, in build/site; fetches Sphinx
#   make screenshots   pictures of every page at four sizes, in artefacts/
#   make check   format, lint, types, import contracts, fast tests

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
DEMO ?= demo-party
DEMO_FLAGS ?=
# Four processes on two cores, since a third of the time is waiting; idle ones take over tests.
TEST_FLAGS ?= -n 4 --dist worksteal
# The fast tests do not wait, so a third process would only load the libraries once more.
FAST_FLAGS ?= -n 2 --dist worksteal

# Containers often set it; then each of the tests' processes would compile every module again.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help demo test test-torchvision docs check format lint types contracts types-js test-js test-fast \
	pytest collect screenshots browser lock clean

help:
	@sed -n 's/^#   //p' Makefile

demo: $(VENV)/run.stamp
	$(BIN)/vocparty demo $(DEMO) $(DEMO_FLAGS)

test: browser types-js test-js pytest

pytest: $(VENV)/dev.stamp
	$(BIN)/pytest $(TEST_FLAGS)

# Loads every test and runs none; what is compiled for that is kept.
collect: $(VENV)/dev.stamp
	@.ci/quietly 1 $(BIN)/pytest --collect-only -q

screenshots: $(VENV)/dev.stamp browser
	$(BIN)/vocparty demo $(DEMO) --once
	PYTHONPATH=. $(BIN)/python .ci/screenshots.py $(DEMO) artefacts

# torchvision reads releases; it is installed next to the environment, some 900 MB.
test-torchvision: $(VENV)/dev.stamp
	@.ci/test-torchvision $(VENV)

docs:
	@.ci/docs $(PYTHON)

check: $(VENV)/dev.stamp
	@$(MAKE) --no-print-directory lint
	@echo "Checking the types, the imports and the JavaScript, and running the fast tests ..."
	@$(MAKE) --no-print-directory --jobs=3 --output-sync test-fast types contracts types-js test-js

format: $(VENV)/dev.stamp
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .
	@.ci/with-node "format the JavaScript" npm run --silent format

lint: $(VENV)/dev.stamp
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: $(VENV)/dev.stamp
	$(BIN)/mypy

contracts: $(VENV)/dev.stamp
	$(BIN)/lint-imports

test-fast: $(VENV)/dev.stamp
	$(BIN)/pytest -q -m "not slow and not browser and not postgres" --hypothesis-profile quick $(FAST_FLAGS)

# vocparty runs without Node.js; with it, the JavaScript is checked too.
types-js:
	@.ci/with-node "type-check the JavaScript" .ci/types-js

test-js:
	@.ci/with-node "test the pure JavaScript" .ci/quietly 8 npm run --silent test

browser:
	@.ci/need-chromium
	@.ci/need-nginx

$(VENV)/run.stamp: requirements/run.lock pyproject.toml vockit/pyproject.toml
	@.ci/make-venv $(PYTHON) $(VENV) requirements/run.lock
	@touch $@

$(VENV)/dev.stamp: requirements/dev.lock pyproject.toml vockit/pyproject.toml
	@.ci/make-venv $(PYTHON) $(VENV) requirements/dev.lock
	@touch $@ $(VENV)/run.stamp

# Resolve the dependencies again; needs uv.
lock:
	.ci/lock

clean:
	rm -rf $(VENV) node_modules build dist artefacts .mypy_cache .ruff_cache .pytest_cache
