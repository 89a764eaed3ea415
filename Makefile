# On a fresh machine every target first makes .venv; PYTHON chooses the interpreter (3.11 or later).
PYTHON ?= python3
BIN := .venv/bin
INSTALLED := .venv/.stamp-installed
SYSTEM := .venv/.stamp-system
FRONTEND := .venv/.stamp-frontend

.PHONY: demo test lint bench docs clean
.DEFAULT_GOAL := test

$(INSTALLED): pyproject.toml pins.txt
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install -q -c pins.txt -e '.[dev,lm,postgres]'
	touch $@

# What is no Python package, for the tests alone.
$(SYSTEM): tests/system.sh $(INSTALLED)
	sh tests/system.sh
	touch $@

# What the front end is built and looked over with, where there is Node; the pages themselves need none.
$(FRONTEND): frontend/package-lock.json $(INSTALLED)
	cd frontend && npm ci --silent --no-audit --no-fund || echo "No packages by npm: the front end is not rebuilt, nor axe run"
	touch $@

# The benchmark, how the shipped model does on it, and a report; running it again does nothing over.
demo: $(INSTALLED)
	$(BIN)/bidui generate zhoblimp -n 300 --seed 0 -o demo/zhoblimp
	$(BIN)/bidui score demo/zhoblimp -o demo/results
	$(BIN)/bidui compare demo/results
	$(BIN)/bidui compare demo/results --by phenomenon
	$(BIN)/bidui report demo/results -o demo/report
	@echo "Pairs: demo/zhoblimp. Scores of every token: demo/results. Open demo/report/index.html for tables and figures."

test: lint $(SYSTEM) $(FRONTEND)
	@if command -v node > /dev/null && test -d frontend/node_modules; then cd frontend && npm test --silent; \
	else echo "No Node.js with the packages of the front end: its unit tests are skipped"; fi
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -q -n auto

lint: $(INSTALLED)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(INSTALLED)
	$(BIN)/python bench/generation.py

docs: $(INSTALLED)
	$(BIN)/python -m bidui.cli.reference docs/cli.md
	$(BIN)/python -m bidui.benchmarks.card
	$(BIN)/python -m bidui.web.shapes frontend/src/wire.ts

clean:
	rm -rf .venv frontend/node_modules demo build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find src tests bench -name __pycache__ -type d -prune -exec rm -rf {} +
