# Two commands need nothing but python3, make and the package index: `make demo` and `make test`.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
PYTEST := $(BIN)/python -m pytest -q
SHARED := -n logical --maxprocesses 4 --dist worksteal  # one process for each core
OUT    := demo-output
CACHE  := .cache
# `make test P=cards`: tests/cards only; examples of docstrings and README are run by test_docs.py
WHERE  := tests/$(P)
# files with tests of a mark; reading all would take longer than running them. 5: there is none
MARKED  = $(or $(shell grep -rl "mark\.$(1)" tests/$(P)),tests/$(P)) $(if $(P),|| [ $$? = 5 ])

# some systems keep Python from storing bytecode: the tests start it hundreds of times
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo play test test-slow lint types layers format bench clean help

help:            ## show this list
	@grep -E '^[a-z-]+: .*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1\t/' | expand -t 20

$(BIN)/python:
	@echo "== creating a virtual environment in $(VENV)"
	@$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: pyproject.toml src/tiltless/_version.py | $(BIN)/python
	@echo "== installing tiltless (a minute on the first run)"
	@$(BIN)/python -m pip install -q --disable-pip-version-check -e '.[web]'
	@touch $@

$(VENV)/.installed-dev: pyproject.toml src/tiltless/_version.py | $(BIN)/python
	@echo "== installing tiltless with the tools for the tests (a few minutes on the first run)"
	@$(BIN)/python -m pip install -q --disable-pip-version-check -e '.[dev]'
	@touch $@ $(VENV)/.installed

demo: $(VENV)/.installed  ## install, then show what tiltless does
	@mkdir -p $(OUT)
	@nice $(BIN)/tiltless warmup --processes 1 >/dev/null 2>&1 &  # compile the rest while the first commands run
	@echo; echo "== what is this hand?"; $(BIN)/tiltless hand AsKsQh 2d Js Tc 3h
	@echo; echo "== the best 15 % of hands"; $(BIN)/tiltless range 15% --png $(OUT)/range.png
	@echo; echo "== who is ahead on this flop? (exact)"; $(BIN)/tiltless equity AsAh KK,QQ,AKs --board QsJh2h
	@echo; echo "== how large is a blueprint of 100 big blinds?"; $(BIN)/tiltless tree nlhe stack=100bb --bets standard --buckets 169,200,200,200
	@echo; echo "== an equilibrium of Kuhn poker"; $(BIN)/tiltless solve kuhn --algorithm cfr+ --until 1e-4
	@echo; echo "== all in before the flop, three players (exact)"; $(BIN)/tiltless equity AKs QQ 98s
	@echo; echo "== Leduc hold'em, algorithms compared"; $(BIN)/tiltless solve leduc --algorithm cfr,cfr+,dcfr,linear-es --until 2e-2 --plot $(OUT)/leduc.png
	@echo; echo "== two ranges on a turn, solved exactly"; $(BIN)/tiltless solve-spot examples/spots/turn.toml --png $(OUT)/turn.png
	@echo; echo "== which hands are played like the nut flush draw on this flop?"; $(BIN)/tiltless abstraction bucket standard AsQs Ks7s2d
	@echo; echo "== a minute of training from scratch: no-limit hold'em with 20 big blinds"; rm -rf $(OUT)/minute; $(BIN)/tiltless train minute --out $(OUT)/minute
	@echo; echo "== the blueprint trained in that minute against simple players"; cd $(OUT) && $(abspath $(BIN))/tiltless cross-table blueprint:file=minute/blueprint.safetensors rules fish uniform all-in stack=20bb --hands 3000 --unit bb/100 --out players --db results.sqlite --title "A minute of training against simple players"
	@echo; echo "== pictures are in $(OUT)/ and $(OUT)/minute/"; echo "== play against it in your browser: make play, or $(BIN)/tiltless web"

play: $(VENV)/.installed  ## open the browser app
	@$(BIN)/tiltless web

# tests have their own cache folder, apart from the user's
test test-slow: export TILTLESS_CACHE = $(CURDIR)/$(CACHE)
# a process for each core: further threads of NumPy's products would only wait for each other
test test-slow: export OPENBLAS_NUM_THREADS = 1

test: lint types layers $(VENV)/.installed-dev  ## every check but the slow ones; P=cards for one folder
	@-$(BIN)/python tests/web/browser.py $(VENV) >/dev/null  # for tests of pages; without one they say so
	@echo "== tests"; $(PYTEST) $(SHARED) -m "not slow" $(WHERE)
	@echo "== a subset with the compiler off"; NUMBA_DISABLE_JIT=1 $(PYTEST) $(SHARED) -m "nojit and not slow" $(call MARKED,nojit)
	@echo "== a subset with bounds checks on"; NUMBA_BOUNDSCHECK=1 $(PYTEST) $(SHARED) -m "bounds and not slow" $(call MARKED,bounds)

test-slow: $(VENV)/.installed-dev  ## the tests that take minutes
	@echo "== slow tests"; $(PYTEST) -m slow tests

lint: $(VENV)/.installed-dev
	@echo "== ruff"; $(BIN)/ruff check -q . && $(BIN)/ruff format -q --check .

types: $(VENV)/.installed-dev
	@echo "== mypy, strict"; $(BIN)/mypy

layers: $(VENV)/.installed-dev
	@echo "== import layers"; $(BIN)/lint-imports --no-logo 2>/dev/null || $(BIN)/lint-imports

format: $(VENV)/.installed-dev  ## reformat the sources
	@$(BIN)/ruff check -q --fix . ; $(BIN)/ruff format -q .

bench: $(VENV)/.installed-dev  ## run the benchmarks, with peers in the same run
	@for name in cards games solvers abstraction blueprint arena ranges search six mit protocols cluster gpu web start; do $(BIN)/tiltless bench $$name; done

clean:           ## remove the environment and everything that was built
	rm -rf $(VENV) $(OUT) $(CACHE) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
