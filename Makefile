# Every target makes its own virtual environment in .venv when there is none.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.installed

# pytest rewrites the assertions of all tests in every run unless it may keep what it wrote
unexport PYTHONDONTWRITEBYTECODE

PYTEST := $(BIN)/python -m pytest -n 2 --dist loadgroup --durations=25

.PHONY: demo quick test test-long check lint types tests tests-long bench clean install

install: $(READY)

# Python compiles what is imported, which is a small part of what is installed; .ci/wheels.cfg says why it is there
$(READY): pyproject.toml
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@DIST_EXTRA_CONFIG=$(CURDIR)/.ci/wheels.cfg $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --editable '.[dev,spark]'
	@touch $@

demo: $(READY)
	@$(BIN)/cera run examples/sensors/fire.xceq --events examples/sensors/events.jsonl --time-unit s --engine spark --as table

check: lint types

lint: $(READY)
	@$(BIN)/ruff check src tests benchmarks
	@$(BIN)/ruff format --check src tests benchmarks

types: $(READY)
	@$(BIN)/mypy

# for every commit: no Java, no processes, a tenth of the random examples
quick: $(READY)
	@$(PYTEST) --quick

# mypy keeps one core busy, so it runs beside the tests
test: lint
	@$(MAKE) --no-print-directory -j 2 types tests

test-long: lint
	@$(MAKE) --no-print-directory -j 2 types tests-long

# an eighth of the random examples, all of which `test-long` tries
tests: $(READY)
	@$(PYTEST) -m "not long" --examples 12

tests-long: $(READY)
	@$(PYTEST)

bench: $(READY)
	@$(BIN)/python -m benchmarks

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis build dist
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
