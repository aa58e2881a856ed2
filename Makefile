# The contributor's menu: `make` lists it. Each target does the set-up that it needs, once.

.DEFAULT_GOAL := help
.PHONY: help setup preflight serve test unit check types style decisions fuzz fuzz-spark golden-spark fuzz-refresh fuzz-zones race soak bench bench-calcite lock clean
MAKEFLAGS += --no-print-directory
# Packages are installed without byte code. Where this is set, each process would compile what it imports: 3.2 s for a
# Viewgate.
unexport PYTHONDONTWRITEBYTECODE

# The first of these that is new enough; `make PYTHON=…` chooses another.
PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && exit; done; echo python3)
BIN := .venv/bin
DATA ?= .viewgate
PORT ?= 10000
SEEDS ?= 2000:12000
SPARK_SEEDS ?= 1000:1300
REFRESH_SEEDS ?= 100:120
ZONE_SEEDS ?= 1000:1300
CALL_SEEDS ?= 100:200
MINUTES ?= 5
FROZEN_SEEDS ?= 0:20000
# The limit of pyproject.toml is for CI's tests.
LONG := -o faulthandler_timeout=0

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: .venv/ready ## virtual environment, pinned packages, Iceberg's Java library; leaves .venv/bin/viewgate

serve: setup ## a Viewgate of its own Spark with demo data, on port 10000 (PORT=…, DATA=…)
	@exec $(BIN)/viewgate serve --demo --port $(PORT) --data $(DATA)

test: setup ## every test: unit, golden, doctests, and the real stack; three processes, the run's one Spark in one of them
	@$(BIN)/python -m pytest -q -n 3 --dist loadgroup

unit: setup ## the tests that need no Spark
	@$(BIN)/python -m pytest -q --ignore=tests/integration

check: setup ## format, lint, types (of the tests, too), import contracts, docs, the modules that a statement enters
	@$(MAKE) -j 2 types style

types:
	@$(BIN)/mypy

style:
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/lint-imports
	@$(BIN)/python -m pytest -q proxy rewriter tests/unit/test_readme.py
	@$(BIN)/python benchmarks/walk.py --fail

decisions: setup ## compare rewriting decisions with the frozen ones, fail on a lost hit: FROZEN_SEEDS=FIRST:LAST
	@$(BIN)/python -m tests.frozen.decisions --seeds $(FROZEN_SEEDS)

fuzz: setup ## more random queries than CI tries, 5,000 by 5,000: SEEDS=FIRST:LAST; kept in a ledger
	@$(BIN)/python -m tests.property.fuzz $(SEEDS)

fuzz-spark: setup ## more random queries on real Spark than CI tries: SPARK_SEEDS=FIRST:LAST; kept in a ledger
	@VIEWGATE_SPARK_SEEDS=$(SPARK_SEEDS) $(BIN)/python -m pytest $(LONG) -q -s tests/integration/test_random_queries.py
	@echo "$(SPARK_SEEDS) at $$(git rev-parse --short HEAD)" >> tests/integration/random_queries.ledger

golden-spark: setup ## all golden cases on real Spark, of which CI tries each second one; run it when a golden file or a rule changes
	@VIEWGATE_GOLDEN_EACH=1 $(BIN)/python -m pytest $(LONG) -q tests/integration/test_golden.py

fuzz-refresh: setup ## more random writes and refreshes than CI tries: REFRESH_SEEDS=FIRST:LAST; kept in a ledger
	@VIEWGATE_REFRESH_SEEDS=$(REFRESH_SEEDS) $(BIN)/python -m pytest $(LONG) -q -s tests/integration/test_refreshes.py
	@echo "$(REFRESH_SEEDS) at $$(git rev-parse --short HEAD)" >> tests/integration/refreshes.ledger

fuzz-zones: setup ## more random queries in many time zones on real Spark than CI tries: ZONE_SEEDS=FIRST:LAST; kept in a ledger
	@VIEWGATE_ZONE_SEEDS=$(ZONE_SEEDS) $(BIN)/python -m pytest $(LONG) -q -s tests/integration/test_zones.py
	@echo "$(ZONE_SEEDS) at $$(git rev-parse --short HEAD)" >> tests/integration/zones.ledger

race: setup ## writers, refreshes and readers at once for MINUTES=…, each answer checked; with Flink; with bugs to find
	@VIEWGATE_RACE=$$(($(MINUTES) * 60)),$$$$ $(BIN)/python -m pytest $(LONG) -q -s tests/integration/test_race.py \
		tests/integration/flink_race.py tests/integration/planted_race.py

soak: setup ## more random calls of clients and servers that die than CI tries: CALL_SEEDS=FIRST:LAST
	@VIEWGATE_CALL_SEEDS=$(CALL_SEEDS) $(BIN)/python -m pytest $(LONG) -q tests/unit/server/test_stress.py

bench: setup ## what the proxy adds to a statement, and what it leaves of a fetch
	@$(BIN)/python benchmarks/overhead.py

bench-calcite: setup ## the rewriter beside Apache Calcite's (needs Maven and a JDK)
	@$(BIN)/python benchmarks/peers/calcite/compare.py

lock: setup ## choose the pinned packages anew, also of the environments that tests make
	@$(BIN)/uv pip compile --quiet --upgrade --universal --python-version 3.11 --generate-hashes --no-header --no-annotate \
		--all-extras --group dev pyproject.toml -o requirements.lock
	@$(BIN)/uv pip compile --quiet --upgrade --universal --python-version 3.11 --generate-hashes --no-header --no-annotate \
		--extra postgres --group build -c requirements.lock pyproject.toml -o docker/viewgate/requirements.lock
	@for tool in dbt superset; do $(BIN)/uv pip compile --quiet --upgrade --universal --python-version 3.11 --generate-hashes \
		--no-header --no-annotate tests/clients/locks/$$tool.in -o tests/clients/locks/$$tool.lock || exit; done

clean: ## remove what was built: environment, caches, demo data
	rm -rf .venv .viewgate .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache *.egg-info

preflight:
	@command -v $(PYTHON) >/dev/null || { echo "Viewgate needs Python 3.11 or newer, and there is no python3 on PATH:" \
		"install one, for example with \`apt-get install python3 python3-venv\`" >&2; exit 1; }
	@$(PYTHON) proxy/preflight.py

.venv/ready: requirements.lock pyproject.toml proxy/jars.py proxy/preflight.py
	@$(MAKE) preflight
	@$(BIN)/python -m pip --version >/dev/null 2>&1 || $(PYTHON) -m venv .venv
	@echo "installing the pinned packages (about 1.6 GB in .venv): two to four minutes beside the download, without further output" >&2
	@$(BIN)/python -m pip install --quiet --no-compile --disable-pip-version-check --require-hashes -r requirements.lock
	@PYTHONWARNINGS=ignore $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@$(BIN)/python -m proxy.jars
	@touch $@
