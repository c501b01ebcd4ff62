# Every target makes its own virtual environment in .venv when there is none.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.installed

# pytest rewrites the assertions of all tests in every run unless it may keep what it wrote
unexport PYTHONDONTWRITEBYTECODE

PYTEST := $(BIN)/python -m pytest -n 2 --dist loadgroup --durations=25

.PHONY: demo quick test test-long check bench clean install

install: $(READY)

$(READY): pyproject.toml
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev,spark]'
	@touch $@

demo: $(READY)
	@$(BIN)/cera run examples/sensors/fire.xceq --events examples/sensors/events.jsonl --time-unit s --engine spark --as table

check: $(READY)
	@$(BIN)/ruff check src tests benchmarks
	@$(BIN)/ruff format --check src tests benchmarks
	@$(BIN)/mypy

# for every commit: no Java, no processes, a tenth of the random examples
quick: $(READY)
	@$(PYTEST) --quick

test: check
	@$(PYTEST) -m "not long"

test-long: check
	@$(PYTEST)

bench: $(READY)
	@$(BIN)/python -m benchmarks

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis build dist
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
