# Every target sets itself up: it needs make and a Python >= 3.11, nothing else.
PYTHON ?= python3
BIN := .venv/bin
# make test JOBS=1 runs in one process.
JOBS ?= auto
RUN_READY := .venv/.ready-run
DEV_READY := .venv/.ready-dev

.PHONY: study test check test-bounds test-nojit test-slow bench clean

study: $(RUN_READY)
	$(BIN)/mirrorcraft study

test: $(DEV_READY)
	$(BIN)/pytest -n $(JOBS)

check: $(DEV_READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright
	$(BIN)/lint-imports

# The kernels again, with every array access checked.
test-bounds: $(DEV_READY)
	NUMBA_BOUNDSCHECK=1 $(BIN)/pytest -n $(JOBS) tests/sim

# The kernels again as plain Python; tests marked "compiled" would take hours that way.
test-nojit: $(DEV_READY)
	NUMBA_DISABLE_JIT=1 $(BIN)/pytest -n $(JOBS) -m "not slow and not compiled" tests/sim

test-slow: $(DEV_READY)
	$(BIN)/pytest -n $(JOBS) -m slow

bench: $(DEV_READY)
	for script in bench/simulator.py bench/studies.py; do $(BIN)/python $$script || exit 1; done

clean:
	rm -rf .venv build dist .pytest_cache .ruff_cache .hypothesis .import_linter_cache

# The stamps depend on what decides the environment, so a second run starts at once.
$(RUN_READY): pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e .
	touch $@

$(DEV_READY): pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	touch $@ $(RUN_READY)
