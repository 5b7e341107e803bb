# Two commands do nearly everything: `make demo` and `make test`. Both set up .venv on their first run.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo page screenshots test test-long short-lane long-lane check docs pictures dist compat bench bench-page bench-full figures kafka-up kafka-down format upgrade clean

demo: .venv/ready
	@$(BIN)/punctum demo

# One worker has Spark, the other one all tests without it, file by file. JVMs of a few minutes do better without their best
# compiler. What each test takes is in build/.
PYTEST := SPARK_SUBMIT_OPTS=-XX:TieredStopAtLevel=1 $(BIN)/pytest -n 2 --dist loadgroup --no-loadscope-reorder

# Checks run beside the tests: those on Spark wait more often than they compute.
test: .venv/ready
	@$(MAKE) --no-print-directory --jobs 2 check short-lane

# All tests, with more examples, kills and searches.
test-long: .venv/ready
	@$(MAKE) --no-print-directory --jobs 2 check long-lane

short-lane: .venv/ready
	$(PYTEST) -m 'not long' --times build/test-times.txt

long-lane: .venv/ready
	PUNCTUM_LANE=long $(PYTEST) --times build/test-long-times.txt

check: .venv/ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# The site, in build/site. Whatever is wrong with a link or a page is an error.
docs: .venv/ready
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

# The pictures of the examples and of the concepts, drawn again.
pictures: .venv/ready
	$(BIN)/python examples/pictures.py
	$(BIN)/python site/pictures.py

# The wheel and the sdist, in dist/.
dist: .venv/ready
	$(BIN)/pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir dist .
	$(BIN)/python -c "from setuptools.build_meta import build_sdist; print(build_sdist('dist'))"

# The oldest and the newest Spark and Polars that are allowed, each tried in an environment of its own.
compat: .venv/ready
	$(BIN)/python tests/compat.py

# A few queries of NEXMark beside Spark and Flink, in less than ten minutes.
bench: .venv/ready build/flink-venv/ready
	$(BIN)/python bench/nexmark.py --minutes 7

# docs/benchmarks.md, its data and its plot: as many queries and rounds as there is time for. NOTE says what else the machine does.
MINUTES ?= 8
NOTE ?= , beside what else the machine did
bench-page: .venv/ready build/flink-venv/ready
	$(BIN)/python bench/nexmark.py all --rounds 9 --minutes $(MINUTES) --csv --note '$(NOTE)' --json docs/benchmarks.json
	$(BIN)/python bench/nexmark.py q2 q3 q17 --events 200k --slice 2k --rounds 1 --minutes 1 --note '$(NOTE)' --json docs/benchmarks-small.json
	$(BIN)/python bench/nexmark_alone.py --json docs/benchmarks-alone.json
	$(BIN)/python bench/nexmark_page.py docs/benchmarks.json docs/benchmarks-small.json docs/benchmarks-alone.json

# Where a long run is written down, for the page.
LONG = --note '$(NOTE)' --json docs/nexmark-long-$(1).json --plot docs/nexmark-long-$(1).svg

# The page with three rounds of all queries, and what each part of Punctum does by itself.
bench-full: .venv/ready build/flink-venv/ready
	$(BIN)/python bench/nexmark.py all --rounds 3 --minutes 600 --csv --note '$(NOTE)' --json docs/benchmarks.json
	$(BIN)/python bench/nexmark.py q2 q3 q17 --events 300k --slice 2k --note '$(NOTE)' --json docs/benchmarks-small.json
	$(BIN)/python bench/nexmark_alone.py --json docs/benchmarks-alone.json
	for n in 1m 10m 50m; do $(BIN)/python bench/nexmark_long.py q4 --events $$n $(call LONG,q4-$$n); done
	for q in q4 q9; do $(BIN)/python bench/nexmark_long.py $$q --minutes 30 --rate 100k --step 100k $(call LONG,$$q-soak); done
	$(BIN)/python bench/nexmark_page.py docs/benchmarks.json docs/benchmarks-small.json docs/benchmarks-alone.json
	$(BIN)/python bench/punctuation_set.py
	$(BIN)/python bench/register.py
	$(BIN)/python bench/memory.py
	$(BIN)/python bench/closed.py
	$(BIN)/python bench/operators.py
	$(BIN)/python bench/synopsis.py
	$(BIN)/python bench/files.py
	$(BIN)/python bench/sources.py
	$(BIN)/python bench/auction.py 100000 450
	$(BIN)/python bench/auction.py 1000000 40
	$(BIN)/python bench/kafka.py
	$(BIN)/python bench/state.py
	$(BIN)/python bench/outer.py
	$(BIN)/python bench/interval.py 1000000 40
	$(BIN)/python bench/small.py
	$(BIN)/python bench/start.py
	$(BIN)/python bench/lmerge_cases.py
	$(BIN)/python bench/lmerge.py

# The experiments of the papers again, as plots in figures/.
figures: .venv/ready
	$(BIN)/python bench/figures.py figures
	$(BIN)/python bench/replicas.py figures
	$(BIN)/python bench/plan_switching.py figures

# The front end of the live page, from page/, with npm.
page:
	cd page && npm install --no-package-lock --no-audit --no-fund && npm run check && npm run build

# The pictures of docs/page.md, with Chromium.
screenshots: .venv/ready
	PYTHONPATH=tests $(BIN)/python tests/page/screenshots.py

# A Kafka broker at localhost:9092, from Maven's packages. Its topics stay in build/kafka/up.
kafka-up: .venv/ready
	@$(BIN)/python tests/kafka/broker.py up

kafka-down:
	@$(PYTHON) tests/kafka/broker.py down

format: .venv/ready
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

.venv/ready: pyproject.toml constraints.txt
	@command -v java >/dev/null || test -x "$$JAVA_HOME/bin/java" || { echo "Punctum runs on Spark, which needs Java 17: install it (on Debian: apt-get install openjdk-17-jre-headless) or set JAVA_HOME."; exit 1; }
	@$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("Punctum needs Python 3.11 or newer, and $(PYTHON) is %d.%d. Try: make PYTHON=python3.11" % sys.version_info[:2])'
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev]'
	@touch $@

# Flink, in an environment of its own.
build/flink-venv/ready: bench/flink.txt
	$(PYTHON) -m venv build/flink-venv
	build/flink-venv/bin/pip install --quiet --disable-pip-version-check --requirement bench/flink.txt
	@touch $@

# Newest versions that pyproject.toml allows, written to constraints.txt.
upgrade:
	rm -rf .venv && $(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[dev]'
	$(BIN)/pip freeze --exclude-editable > constraints.new
	mv constraints.new constraints.txt && touch .venv/ready

clean:
	rm -rf .venv build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis demo-run figures
