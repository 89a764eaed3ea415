# On a fresh machine every target first makes .venv; PYTHON chooses the interpreter (3.11 or later).
PYTHON ?= python3
BIN := .venv/bin
INSTALLED := .venv/.stamp-installed

.PHONY: demo test lint bench docs clean
.DEFAULT_GOAL := test

$(INSTALLED): pyproject.toml pins.txt
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install -q -c pins.txt -e '.[dev,lm]'
	touch $@

# The benchmark, and how varied it is; running it again does nothing over.
demo: $(INSTALLED)
	$(BIN)/bidui generate zhoblimp -n 300 --seed 0 -o demo/zhoblimp
	$(BIN)/bidui diversity demo/zhoblimp
	@echo "The pairs are in demo/zhoblimp, one file a paradigm; src/bidui/benchmarks/zhoblimp/card.md is their data card."

test: lint
	$(BIN)/python -m pytest -q -n auto

lint: $(INSTALLED)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(INSTALLED)
	$(BIN)/python bench/generation.py

docs: $(INSTALLED)
	$(BIN)/python -m bidui.cli.reference docs/cli.md
	$(BIN)/python -m bidui.benchmarks.card

clean:
	rm -rf .venv demo build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find src tests bench -name __pycache__ -type d -prune -exec rm -rf {} +
