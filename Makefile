# make demo    set up, grade the sample class, say where the pages are
# make test    set up, run linter, type checker and tests
# make bench   set up, print speeds as ratios
#
# PYTHON=python3.12 chooses the interpreter, VENV=folder the environment,
# TORCH_INDEX=URL an index of CPU builds of torch, in place of PyTorch's own.

PYTHON ?= python3
VENV ?= .venv
OUT ?= out
WORKERS ?=
ifdef TORCH_INDEX
export TORCH_INDEX
endif

BIN := $(VENV)/bin

.PHONY: demo test bench lint build clean

demo:
	@$(PYTHON) tools/install.py $(VENV)
	@$(BIN)/autograder grade examples/class --out $(OUT) $(if $(WORKERS),--workers $(WORKERS)) \
		|| test $$? -eq 1  # 1: something in the class needs a person, as it should

test: lint
	@$(BIN)/pytest

lint:
	@$(PYTHON) tools/install.py $(VENV) dev torch
	@$(BIN)/ruff format --check --quiet .
	@$(BIN)/ruff check --quiet .
	@$(BIN)/mypy
	@$(BIN)/autograder build --check

bench:
	@$(PYTHON) tools/install.py $(VENV) dev torch
	@$(BIN)/python benchmarks/run.py

build:
	@$(PYTHON) tools/install.py $(VENV) dev
	@$(BIN)/autograder build

clean:
	rm -rf $(VENV) $(OUT) .pytest_cache .mypy_cache .ruff_cache .hypothesis
