# make demo       set up, grade the sample class, say where the pages are
# make test       set up, run linter, type checker, tests and a quick `autograder verify`
# make thorough   the same with every test of each kind, and all of `autograder verify`
# make verify     set up, grade the grader, on both courses, and write docs/verified.md
# make unseen     what reports say of every mutant of every right answer, into docs/unseen.md (hours;
#                 SAMPLE=20: so many of each exercise)
# make notebooks  set up, grade bad notebooks with nbgrader too, and write docs/bad-notebooks.md
# make docs       set up, and make the documents a site, in build/site
# make pictures   draw the README's pictures, of the sample class (needs Chromium)
# make bench      set up, print speeds as ratios (LARGE=1: classes of 800, 1,000 and 10,000 too)
# make figures    set up, and draw the lessons' figures whose code has changed
# make stress     grade a class beside eight busy loops, five times: the same bytes, none timed out
# make soak       5,000 submissions through one judge, then 200 kills
# make fuzz       a coverage-guided fuzzer against what reads hostile bytes
#
# PYTHON=python3.12 chooses the interpreter, VENV=folder the environment,
# TORCH_INDEX=URL an index of CPU builds of torch, in place of PyTorch's own.

PYTHON ?= python3
VENV ?= .venv
OUT ?= out
WORKERS ?=
SAMPLE ?= 0
ifdef TORCH_INDEX
export TORCH_INDEX
endif

BIN := $(VENV)/bin

.PHONY: demo test thorough verify unseen notebooks figures docs pictures bench stress soak fuzz lint build clean

demo:
	@$(PYTHON) tools/install.py $(VENV) students torch desk authoring release verify similar
	@$(BIN)/autograder grade examples/class --out $(OUT) --apply $(if $(WORKERS),--workers $(WORKERS)) \
		|| test $$? -eq 1  # 1: something in the class needs a person, as it should

test: lint
	@$(BIN)/autograder verify --quick > $(VENV)/verified.txt 2>&1 & \
		$(BIN)/pytest --numprocesses logical --dist loadfile --no-loadscope-reorder --durations 30; \
		tests=$$?; wait $$!; verified=$$?; cat $(VENV)/verified.txt; \
		test $$tests -eq 0 && test $$verified -eq 0

thorough: lint
	@$(BIN)/pytest --thorough --numprocesses logical --dist loadfile --no-loadscope-reorder
	@$(BIN)/autograder verify

verify: lint
	@$(BIN)/autograder verify --table docs/verified.md
	@$(BIN)/autograder verify --course examples/courses/text

unseen:
	@$(PYTHON) tools/install.py $(VENV) dev students torch
	@$(BIN)/python -m tools.unseen --sample $(SAMPLE) --table docs/unseen.md

lint:
	@$(PYTHON) tools/install.py $(VENV) dev students torch nbgrader cluster docs
	@$(BIN)/mypy & \
		$(BIN)/ruff format --check --quiet . && $(BIN)/ruff check --quiet . \
			&& $(BIN)/python -m lessons --check && $(BIN)/autograder build --check; \
		others=$$?; wait $$! && exit $$others

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
