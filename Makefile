STACK ?= dev
PYTHON ?= python3
RUN = .venv/bin/python

.DEFAULT_GOAL := help
.PHONY: help up preview refresh down status plan check test quick lint nightly bench

help:
	@echo "make up|preview|refresh|status|down   rehearse stacks/Pulumi.$(STACK).yaml on this machine   (STACK=dev)"
	@echo "make check|plan                       look at the stack file without any cloud"
	@echo "make test|quick|lint|nightly|bench    run the tests: all, without the toolchain, static, long ones, measures"

.venv: requirements.txt requirements-dev.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed, this is " + sys.version)'
	$(PYTHON) -m venv .venv
	.venv/bin/pip install --quiet --disable-pip-version-check --requirement requirements-dev.txt
	@touch .venv

up preview refresh down status: .venv
	$(RUN) -m sandbox $@ $(STACK)

check plan: .venv
	$(RUN) -m pathways $@ $(STACK)

lint: .venv
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	.venv/bin/mypy
	.venv/bin/lint-imports

quick: .venv lint
	$(RUN) -m pytest -n 2 -m "not rehearsal and not examples and not nightly"

test: quick
	$(RUN) -m sandbox toolchain
	$(RUN) -m pytest -m "(rehearsal or examples) and not nightly"

nightly: .venv
	$(RUN) -m sandbox toolchain
	HYPOTHESIS_PROFILE=nightly $(RUN) -m pytest

bench: .venv
	$(RUN) -m sandbox toolchain
	$(RUN) -m tests.bench
