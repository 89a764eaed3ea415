# On a fresh machine, every target first creates .venv; PYTHON chooses the interpreter (3.11 or later).
PYTHON ?= python3
BIN := .venv/bin
# pip compiles every module of every package, one after the other, for minutes. The largest compile when imported.
INSTALL := $(BIN)/python -m pip install -q --no-compile
COMPILE := $(BIN)/python -m compileall -q -j 0 -x '/(torch|transformers|ray|sympy|networkx|moto)/' .venv/lib > /dev/null
DEMO := .venv/.stamp-demo
INSTALLED := .venv/.stamp-installed
SYSTEM := .venv/.stamp-system
FRONTEND := .venv/.stamp-frontend
OLDEST := .venv-oldest
# More processes of tests than there are cores: tests in a browser wait most of their time.
WORKERS := $(shell expr $$(getconf _NPROCESSORS_ONLN) + 2)
# The tests start hundreds of processes, and each would compile every module again where bytecode is not written.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test frontend-tests python-tests quick quick-tests lint matrix bench docs clean
.DEFAULT_GOAL := test

# What a user has: bidui with language models.
$(DEMO): pyproject.toml pins.txt
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(INSTALL) -c pins.txt -e '.[lm]'
	-$(COMPILE)
	touch $@

# What work on bidui needs besides: tests, lint and types.
$(INSTALLED): $(DEMO) tests/s3.txt
	$(INSTALL) -c pins.txt -e '.[dev,lm,postgres,cluster]'
	$(INSTALL) --no-deps -r tests/s3.txt || echo "no local S3 server can be installed: tests of s3:// are skipped"
	$(INSTALL) -c pins.txt -e '.[ngram]' || echo "kenlm cannot be built here: tests that compare with it are skipped"
	-$(COMPILE)
	touch $@

# What the tests need besides Python packages: a browser, fonts and PostgreSQL.
$(SYSTEM): tests/system.sh $(INSTALLED)
	sh tests/system.sh
	touch $@

# The tools that build and check the front end, if Node is installed; the pages themselves need no Node.
$(FRONTEND): frontend/package-lock.json $(INSTALLED)
	cd frontend && npm ci --silent --no-audit --no-fund || echo "npm packages are not installed: the front end is not rebuilt, and axe does not run"
	touch $@

# The benchmark, the accuracy of the shipped model on it, and a report; running it again repeats nothing.
demo: $(DEMO)
	$(BIN)/bidui generate zhoblimp -n 300 --seed 0 -o demo/zhoblimp
	$(BIN)/bidui score demo/zhoblimp -o demo/results
	$(BIN)/bidui compare demo/results
	$(BIN)/bidui compare demo/results --by phenomenon
	$(BIN)/bidui report demo/results -o demo/report
	@echo "Pairs: demo/zhoblimp. Scores of every token: demo/results. Open demo/report/index.html for tables and figures."

# Lint and the tests of pages and Python side by side: one core would wait while the other checks types.
test: $(SYSTEM) $(FRONTEND)
	$(MAKE) --no-print-directory -j 3 lint frontend-tests python-tests

frontend-tests: $(FRONTEND)
	@if command -v node > /dev/null && test -d frontend/node_modules; then cd frontend && npm test --silent; \
	else echo "No Node.js with the packages of the front end: its unit tests are skipped"; fi

python-tests: $(SYSTEM) $(FRONTEND)
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -q -n $(WORKERS) --dist worksteal

# Lint, types and the fast tests, without torch, browser and database, side by side: the loop while you work.
quick: $(INSTALLED)
	$(MAKE) --no-print-directory -j 2 -O lint quick-tests

quick-tests: $(INSTALLED)
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -q --quick -n 2

lint: $(INSTALLED)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# The wheel, outside the repository, with the lowest and the newest versions of what it needs, on each Python that is
# here; and checkpoints, which must load in the oldest version of transformers, in an environment of its own.
matrix: $(INSTALLED) $(OLDEST)/.stamp-installed
	$(BIN)/python tests/matrix.py $(if $(TORCH),--torch $(TORCH))
	BIDUI_TRANSFORMERS=$(CURDIR)/$(OLDEST)/bin/python $(BIN)/python -m pytest -q -rs tests/training/test_versions.py

$(OLDEST)/.stamp-installed: pyproject.toml pins.txt
	test -x $(OLDEST)/bin/python || $(PYTHON) -m venv $(OLDEST)
	grep -Ev '^(transformers|tokenizers|huggingface_hub)==' pins.txt > $(OLDEST)/pins.txt
	$(OLDEST)/bin/python -m pip install -q -c $(OLDEST)/pins.txt -e '.[lm]' 'transformers==4.57.*'
	touch $@

bench: $(INSTALLED)
	$(BIN)/python bench/generation.py

docs: $(INSTALLED)
	$(BIN)/python -m bidui.cli.reference docs/cli.md docs/api.md
	$(BIN)/python -m bidui.benchmarks.card
	$(BIN)/python -m bidui.web.shapes frontend/src/wire.ts

clean:
	rm -rf .venv $(OLDEST) frontend/node_modules demo build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find src tests bench -name __pycache__ -type d -prune -exec rm -rf {} +
