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

# A project, its pairs, and how varied they are; running it again does nothing over.
demo: $(INSTALLED)
	test -d demo/project || $(BIN)/bidui new demo/project --lang zh
	$(BIN)/bidui check demo/project
	$(BIN)/bidui generate demo/project -n 300 --seed 0 -o demo/pairs
	$(BIN)/bidui diversity demo/pairs
	@echo "The pairs are in demo/pairs, one file a paradigm; the project they came from is demo/project."

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

clean:
	rm -rf .venv demo build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find src tests bench -name __pycache__ -type d -prune -exec rm -rf {} +
