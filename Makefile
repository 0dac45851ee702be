# `make help` lists the targets. Everything here also works by hand with the Swift package manager.
SHELL := /bin/bash
SWIFT ?= swift
INSPECT := .build/release/store-inspect
# Linux links the Swift runtime into the executable: it starts faster and runs where no Swift is.
RELEASE_FLAGS := $(if $(filter Linux,$(shell uname -s)),--static-swift-stdlib,)
SOURCES := Sources Tests Package.swift $(wildcard Benchmarks/Sources Benchmarks/Package.swift Examples/Sources Examples/Package.swift)

.DEFAULT_GOAL := help
.PHONY: help bootstrap demo test test-macros lint format release examples bench fixtures fixtures-check docs-check acceptance clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-15s %s\n", $$1, $$2}'

bootstrap: ## install what is missing: sqlite3 with its header, pkg-config, python3
	@tools/bootstrap

demo: release ## build store-inspect and walk it through a real job on the files in Fixtures/
	@tools/demo $(INSPECT)

test: bootstrap fixtures-check ## run the whole test suite
	$(SWIFT) build --build-tests
	$(SWIFT) test --skip-build
	@tools/check-docs .build/debug/store-inspect
	@$(MAKE) --no-print-directory test-macros

test-macros: ## run the tests of what @Model expands to (part of `make test`)
	KURA_TEST=macros $(SWIFT) test --scratch-path .build/macros

lint: ## check formatting and the rules of CONTRIBUTING.md
	$(SWIFT) format lint --strict --recursive $(SOURCES)
	@tools/check-sources

format: ## format the sources in place
	$(SWIFT) format --in-place --recursive $(SOURCES)

release: bootstrap ## build an optimised store-inspect
	$(SWIFT) build -c release --product store-inspect $(RELEASE_FLAGS)

examples: ## build and run the examples and compare what they print
	@tools/check-examples

bench: release ## measure against plain C and write docs/performance.md (BENCH_FLAGS="--rows 100000")
	@touch Benchmarks/Package.swift # or files that are new in Sources/ go unnoticed
	$(SWIFT) run --package-path Benchmarks -c release kura-bench --inspect $(INSPECT) --markdown docs/performance.md --date $$(date +%F) $(BENCH_FLAGS)

fixtures: ## write Fixtures/ again
	python3 Fixtures/generate.py

fixtures-check: ## prove that the files in Fixtures/ hold what their generator says
	@python3 Fixtures/generate.py --check

docs-check: ## run every store-inspect example of the README and docs/ and compare its output
	@tools/check-docs .build/debug/store-inspect

acceptance: release ## run store-inspect over a folder of database files (KURA_CORPUS=folder)
	@tools/acceptance --inspect $(INSPECT)

clean: ## remove what builds leave behind
	$(SWIFT) package clean
	rm -rf .build Benchmarks/.build
