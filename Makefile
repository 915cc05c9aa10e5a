# Each target installs what it needs into VENV first.
#
# make demo       grade the sample class, and print the grades and where the pages are
# make test       run linter, type checker, tests and a quick `autograder verify` of three exercises
# make thorough   run every test, and all of `autograder verify`
# make verify     test the grader on both courses, write docs/verified.md and the numbers in documents
# make unseen     grade mutants of correct answers, write docs/unseen.md (hours; SAMPLE=20: 20 of each)
# make notebooks  grade bad notebooks with nbgrader too, write docs/bad-notebooks.md
# make docs       make a site of the documents, in build/site
# make pictures   draw the README's pictures (needs Chromium)
# make bench      measure speed, as ratios (LARGE=1: classes of 800, 1,000 and 10,000 too)
# make figures    draw the lessons' figures whose code has changed
# make stress     grade a class five times beside eight busy loops: the same bytes, no timeout
# make soak       grade 5,000 submissions with one judge, then survive 200 kills
# make fuzz       fuzz the readers of hostile bytes
#
# PYTHON=python3.12 chooses the interpreter, VENV=folder the environment, TESTERS=8 how many
# processes run tests (1 GB each; on two cores four, since they wait for half of their time),
# TORCH_INDEX=URL an index of CPU builds of torch, in place of PyTorch's own.

PYTHON ?= python3
VENV ?= .venv
OUT ?= out
WORKERS ?=
SAMPLE ?= 0
TESTERS ?= 4
VERIFIED := softmax attention_heatmap kv_cache
unexport PYTHONDONTWRITEBYTECODE  # with it, every process of the tests would compile everything again
ifdef TORCH_INDEX
export TORCH_INDEX
endif

BIN := $(VENV)/bin
STYLE = $(BIN)/ruff format --check --quiet . && $(BIN)/ruff check --quiet . \
	&& $(BIN)/python -m lessons --check && $(BIN)/autograder build --check

.PHONY: demo test thorough verify unseen notebooks figures docs pictures bench stress soak fuzz installed lint build clean

demo:
	@$(PYTHON) tools/install.py $(VENV) students torch desk authoring release verify similar
	@$(BIN)/autograder grade examples/class --out $(OUT) --apply $(if $(WORKERS),--workers $(WORKERS)) \
		|| test $$? -eq 1  # 1: something in the class needs a person, as it should

test: installed
	@$(BIN)/mypy > $(VENV)/types.txt 2>&1 & types=$$!; \
		$(BIN)/autograder verify --quick $(VERIFIED) > $(VENV)/verified.txt 2>&1 & verify=$$!; \
		$(STYLE) && $(BIN)/pytest --numprocesses $(TESTERS) --dist loadfile --no-loadscope-reorder --durations 30; \
		tests=$$?; wait $$types; types=$$?; wait $$verify; verified=$$?; cat $(VENV)/types.txt $(VENV)/verified.txt; \
		test $$tests -eq 0 && test $$types -eq 0 && test $$verified -eq 0

thorough: lint
	@$(BIN)/pytest --thorough --numprocesses $(TESTERS) --dist loadfile --no-loadscope-reorder
	@$(BIN)/autograder verify

verify: lint
	@$(BIN)/autograder verify --table docs/verified.md
	@$(BIN)/autograder verify --course examples/courses/text
	@$(BIN)/autograder verify --course examples/courses/worked
	@$(BIN)/python -m tools.facts

unseen:
	@$(PYTHON) tools/install.py $(VENV) dev students torch
	@$(BIN)/python -m tools.unseen --sample $(SAMPLE) --table docs/unseen.md

installed:
	@$(PYTHON) tools/install.py $(VENV) dev students torch nbgrader cluster docs

lint: installed
	@$(BIN)/mypy & $(STYLE); others=$$?; wait $$! && exit $$others

notebooks:
	@$(PYTHON) tools/install.py $(VENV) dev students torch nbgrader
	@$(BIN)/python -m tests.nbgrader.beside docs/bad-notebooks.md

figures:
	@$(PYTHON) tools/install.py $(VENV) dev
	@$(BIN)/python -m lessons
	@$(BIN)/autograder build

docs:
	@$(PYTHON) tools/install.py $(VENV) docs
	@$(BIN)/python -m tools.docs_site build/site
	@echo "The site is in build/site: open build/site/index.html"

pictures: demo
	@$(PYTHON) tools/install.py $(VENV) dev students torch
	@$(BIN)/python -m tools.pictures $(OUT)

bench:
	@$(PYTHON) tools/install.py $(VENV) dev students torch nbgrader cluster
	@$(BIN)/python -m benchmarks.run $(if $(LARGE),--large)

stress:
	@$(PYTHON) tools/install.py $(VENV) dev torch nbgrader
	@$(BIN)/python -m benchmarks.stress 20 5 8

soak:
	@$(PYTHON) tools/install.py $(VENV) dev students torch nbgrader
	@$(BIN)/python -m benchmarks.soak 5000
	@$(BIN)/python -m tests.confinement.kills 200

fuzz:
	@$(PYTHON) tools/install.py $(VENV) dev students torch nbgrader
	@$(BIN)/pip install --quiet atheris
	@$(BIN)/python -m benchmarks.fuzz -max_total_time=120 -rss_limit_mb=1024 -verbosity=0

build:
	@$(PYTHON) tools/install.py $(VENV) dev
	@$(BIN)/autograder build

clean:
	rm -rf $(VENV) $(OUT) .pytest_cache .mypy_cache .ruff_cache .hypothesis
