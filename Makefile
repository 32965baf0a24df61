PY := .venv/bin/python
PYTHON ?= python3
DEMO := iris/demo/runs.jsonl
EXPLAINED := shop-refund-silent-failure

.PHONY: demo test check packs bench docs conformance clean

demo: .venv/.ready
	$(PY) -m iris packs check
	$(PY) -m iris eval $(DEMO) --fail-on never
	@echo && echo "One of them explained: why no_silent_tool_failure says so, down to the expressions of its rule"
	grep '"$(EXPLAINED)"' $(DEMO) | $(PY) -m iris eval - --why --verbose --fail-on never
	$(PY) -m iris explain no_silent_tool_failure

test: .venv/.ready
	$(PY) -m pytest -n auto tests

check: .venv/.ready
	$(PY) -m ruff check iris tests
	$(PY) -m mypy
	.venv/bin/lint-imports
	$(PY) -m iris packs check
	$(PY) -m iris.docs --check

packs: .venv/.ready
	$(PY) -m iris packs compile
	$(PY) -m iris packs test --mutate

bench: .venv/.ready
	$(PY) -m tests.bench.run

conformance: .venv/.ready
	$(PY) -m tests.serve.mcp.conformance

docs: .venv/.ready
	$(PY) -m iris.docs

clean:
	rm -rf .venv build dist .mypy_cache .ruff_cache .hypothesis

.venv/.ready: pyproject.toml
	$(PYTHON) -m venv .venv
	$(PY) -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	touch $@
