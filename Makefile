# Commands for daily work. CMake does the building; CMakePresets.json has single configurations.
#
#   make            build Release into build/; the tool is build/tact
#   make viewer     build the viewer of `tact view`, with Node; build/viewer.html
#   make run        build all, run the show-case and write a page that plays it
#   make check      all tests in one Release build: two minutes. One folder: ctest --test-dir build-test/check -L toi
#   make test       everything: gcc and clang, sanitizers, fuzzers, headers, installed copies, docs, format
#   make test-long  the Release tests with their full number of random cases (hours)
#   make oom        every allocation of the whole API fails once
#   make fuzz       all fuzzers for MINUTES (default 120) in total; what they find is in build-fuzz/
#   make coverage   lines and branches of src/ that the tests run, in build-coverage/coverage.html
#   make determinism   the bits of answers on several compilers and platforms, arm64 and Windows under emulators among them
#   make bench      the benchmarks against other libraries (BENCH="mesh world" selects), and build-bench/bench.html
#   make docs       the reference, into build/docs/html
#   make format     lay out all C and C++ files with clang-format
#   make deb        a Debian package of library, headers and tool, in build/
#   make install    install under PREFIX (default /usr/local)
#   make help       show this list
#   make clean      remove everything that was built

BUILD := build
PREFIX ?= /usr/local
BENCH ?=
MINUTES ?= 120
JOBS ?= $(shell nproc 2>/dev/null || echo 2)

MAKEFLAGS += --no-print-directory

.PHONY: all packages build viewer run check test test-long oom fuzz determinism coverage deb bench docs format install help clean

all: build

packages:
	@scripts/install-packages

build: packages
	@cmake -S . -B $(BUILD) -DCMAKE_BUILD_TYPE=Release -DTACT_TESTS=OFF >/dev/null
	@cmake --build $(BUILD) --parallel $(JOBS)

viewer:
	@scripts/install-packages viewer
	@scripts/build-viewer $(BUILD)/viewer.html

run: build viewer
	@scripts/show-case $(BUILD)

check: packages
	@JOBS=$(JOBS) scripts/test check

test:
	@scripts/install-packages base cad docs format viewer browser
	@JOBS=$(JOBS) scripts/test

test-long: packages
	@cmake -S . -B build-long -DCMAKE_BUILD_TYPE=Release >/dev/null
	@cmake --build build-long --parallel $(JOBS)
	@TACT_TEST_LONG=1 ctest --test-dir build-long --output-on-failure --parallel $(JOBS) --timeout 86400 --no-tests=error

oom: build
	@cmake -S . -B $(BUILD) -DTACT_TESTS=ON >/dev/null
	@cmake --build $(BUILD) --parallel $(JOBS) --target test_out_of_memory_shapes test_out_of_memory_worlds
	@TACT_TEST_LONG=1 TACT_TEST_VERBOSE=1 $(BUILD)/tests/test_out_of_memory_shapes
	@TACT_TEST_LONG=1 TACT_TEST_VERBOSE=1 $(BUILD)/tests/test_out_of_memory_worlds

fuzz: packages
	@JOBS=$(JOBS) scripts/fuzz build-fuzz $$((60 * $(MINUTES)))

determinism:
	@scripts/install-packages base platforms
	@JOBS=$(JOBS) scripts/determinism build-determinism

coverage:
	@scripts/install-packages base coverage
	@JOBS=$(JOBS) scripts/coverage build-coverage

deb: build
	@cd $(BUILD) && cpack

bench:
	@scripts/install-packages base bench
	@cmake -S . -B build-bench -DCMAKE_BUILD_TYPE=Release -DTACT_TESTS=OFF -DTACT_BENCH=ON -DTACT_BENCH_PEERS=ON >/dev/null
	@cmake --build build-bench --parallel $(JOBS) --target tact_bench
	@build-bench/tact-bench $(BENCH) --html build-bench/bench.html

docs:
	@scripts/install-packages docs
	@mkdir -p build/docs
	@doxygen docs/Doxyfile
	@echo "reference: build/docs/html/index.html"

format:
	@scripts/install-packages format
	@scripts/format

install: build
	@cmake --install $(BUILD) --prefix $(PREFIX)

help:
	@sed -n 's/^#   //p' Makefile

clean:
	@rm -rf build build-*
