# Every target is a sentence in `make help`. CI runs nothing but these.
SHELL := /bin/bash
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.DEFAULT_GOAL := help

.PHONY: help run test install install-dev lint types format lock clean generate bench man

IDS ?=

help: ## List what can be made
	@grep -hE '^[a-z][a-zA-Z_-]*:.*## ' $(MAKEFILE_LIST) | sort | awk -F ':.*## ' '{printf "  make %-14s %s\n", $$1, $$2}'

run: install ## Fetch example publications (yours: make run IDS=my.txt), live or from the simulated internet
	@PYTHONPATH=tests $(BIN)/python -m pubweave.cli.demo $(if $(IDS),--ids "$(IDS)")

install: $(VENV)/.installed ## Make .venv from requirements.lock

$(VENV)/.installed: requirements.lock pyproject.toml
	@echo "pubweave: making $(VENV) from requirements.lock (once, about a minute)"
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.lock hatchling==$$(sed -n 's/^hatchling==//p' requirements-dev.lock)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

install-dev: $(VENV)/.installed-dev ## Make .venv with everything the tests need

$(VENV)/.installed-dev: $(VENV)/.installed requirements-dev.lock
	@echo "pubweave: adding what the tests need from requirements-dev.lock"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-dev.lock
	@touch $@

lint: install-dev ## Check style
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: install-dev ## Check types (mypy strict)
	$(BIN)/mypy

format: install-dev ## Format the code
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

generate: install-dev ## Make anew what is made from the code: schemas, topics, the flow, settings, services
	$(BIN)/python -m pubweave.contract.generate_resources
	$(BIN)/python -m pubweave.contract.generate
	$(BIN)/python -m pubweave.settings > docs/settings.md
	$(BIN)/python -m pubweave.cli.operations.helping > docs/operations.md
	$(BIN)/python -m pubweave.deploy.generate

test: lint types ## Run every test (style and types first)
	$(BIN)/pytest -n 2 --dist worksteal --ignore tests/stack_flow $(PYTEST_ARGS)
	@# Whole systems of several processes, each test by itself: what they measure is the time at which hosts are asked.
	$(BIN)/pytest tests/stack_flow $(PYTEST_ARGS) || [ $$? -eq 5 ]

.PHONY: test-browser

test-browser: install-dev ## Try the HTML page in a real Chromium (fails where there is none)
	@command -v chromium chromium-browser google-chrome google-chrome-stable >/dev/null || { echo "pubweave: there is no Chromium here; install it, for example with: apt-get install chromium" >&2; exit 1; }
	$(BIN)/pytest tests/output/test_html_browser.py $(PYTEST_ARGS)

bench: install-dev ## Measure what is to be fast, each against a peer or a limit (about ten minutes)
	@for bench in bench/*_bench.py; do echo "== $$bench"; $(BIN)/python $$bench || exit 1; done

lock: install-dev ## Pin the dependencies anew
	$(BIN)/python -m pip install --quiet pip-tools
	$(BIN)/pip-compile -q --all-extras --strip-extras --no-header --no-emit-index-url --no-emit-trusted-host --no-emit-find-links --no-annotate -o requirements-dev.lock pyproject.toml
	$(BIN)/pip-compile -q --extra bus --extra pdf --extra renderer --extra demo --strip-extras --no-header --no-emit-index-url --no-emit-trusted-host --no-emit-find-links --no-annotate -c requirements-dev.lock -o requirements.lock pyproject.toml

man: install ## Write the manual pages into man/
	@$(BIN)/pubweave man --out man

clean: ## Remove what make made (the database stays)
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis

.PHONY: stack stack-stop

stack: install-dev ## Start the real Kafka and Cassandra (Java 17 and Maven, no Docker)
	@PYTHONPATH=tests $(BIN)/python -m stack up

stack-stop: install-dev ## Stop them and remove their data
	@PYTHONPATH=tests $(BIN)/python -m stack down

.PHONY: test-worlds

test-worlds: install-dev ## 10,000 generated worlds: one process, simulated bus and sequential chain agree (an hour; WORLDS=N for fewer)
	WORLDS=$${WORLDS:-10000} $(BIN)/pytest tests/simulation/test_three_alike.py --timeout 14400 -n 2 $(PYTEST_ARGS)

.PHONY: test-chaos

test-chaos: install-dev ## Kill, pause, restart and scale everything under a job of 2,000 (half an hour; no Docker)
	$(BIN)/pytest tests/stack_flow/chaos.py -s

.PHONY: test-bulk

test-bulk: install-dev ## Six jobs of 5,000 lines of the lane bulk, three with kills (half an hour at rest; no Docker)
	$(BIN)/pytest tests/stack_flow/bulk.py -s

.PHONY: test-deploy

test-deploy: install-dev ## Bring the compose file up for real and apply the manifests (root, podman, Go; half an hour once)
	@command -v podman debootstrap runc >/dev/null || apt-get install --yes --quiet --no-install-recommends \
		podman runc netavark aardvark-dns iptables fuse-overlayfs catatonit uidmap debootstrap
	PYTHONPATH=tests $(BIN)/pytest -q -p no:cacheprovider tests/deploy/real_kubernetes.py tests/deploy/real_login.py \
		tests/deploy/real_compose.py
