# Lectern: `make serve` starts it, `make` alone lists the rest.
# Plain make and POSIX sh only: macOS brings make 3.81 and BSD tools. Paths stay relative, so the folder may have any name.

PYTHON_HERE = .venv/bin/python
RUNS = 5
# Two processes, each a file at a time, the slow ones first: most of what the tests do is waiting for other processes.
TOGETHER = -n 2 --dist loadfile --no-loadscope-reorder

.PHONY: help serve setup install install-dev check test format bench

help:
	@echo "make serve    install what is missing, get the voice, and start Lectern on http://127.0.0.1:8484"
	@echo "make setup    only install: Python packages, model and voices"
	@echo "make test     install, then check everything: style, types, layers and every test"
	@echo "make check    style, types and layers, without the tests"
	@echo "make format   put the Python code in the project's format"
	@echo "make bench    measure this port beside the other engines (40 minutes and 4 GB; RUNS=5, FULL=1 for all of it)"

serve: setup
	@exec $(PYTHON_HERE) -m server serve

setup: install
	@$(PYTHON_HERE) -m server setup

install:
	@sh scripts/install.sh run

install-dev:
	@sh scripts/install.sh dev

check: install-dev
	$(PYTHON_HERE) -m ruff check .
	$(PYTHON_HERE) -m ruff format --check .
	$(PYTHON_HERE) -m mypy
	.venv/bin/lint-imports

test: check
	@$(PYTHON_HERE) -m server setup
	$(PYTHON_HERE) -m pytest $(TOGETHER) -m 'not alone'
	$(PYTHON_HERE) -m pytest -m alone

format: install-dev
	$(PYTHON_HERE) -m ruff check --fix .
	$(PYTHON_HERE) -m ruff format .

bench: install
	@$(PYTHON_HERE) -m benchmarks.engines --runs $(RUNS) $(if $(FULL),--full)
