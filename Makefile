# SPDX-License-Identifier: Apache-2.0
# One word for each thing a person does here; `make demo` and `make test` work as the first command on a fresh Debian 12.
BUILD := build/release
JOBS := $(shell nproc)
MODEL := models/seqgpt-mini
EXAMPLE := 王伟，现任上海云图数据科技有限公司CTO，2022年3月加入，年薪120万元。

.PHONY: demo setup-test build test test-full bench serve package format lint setup setup-lint help

help:
	@echo "make demo       set up, build, extract from an example with the bundled model"
	@echo "make test       set up, build, run every test"
	@echo "make build      build $(BUILD)/seqgpt"
	@echo "make serve      build, then answer over HTTP at http://127.0.0.1:8000"
	@echo "make bench      measure this machine on the 560M shape and the bundled model"
	@echo "make package    build/package: a .deb and a tarball"
	@echo "make test-full  make test, sanitizers, fuzzers, ARM under qemu, training, deploy files, package (PyPI)"
	@echo "make format     format the sources;  make lint  check what changed"

setup:
	@scripts/setup.sh

setup-test:
	@scripts/setup.sh test

setup-lint:
	@scripts/setup.sh lint

build: setup
	@scripts/build.sh release

# The program alone: the tests are most of a first build.
demo: setup
	@scripts/build.sh release --target seqgpt
	$(BUILD)/seqgpt extract --format json -l 姓名,公司,职位,入职时间 --label '薪资=annual_salary' '$(EXAMPLE)'

test: setup-test build
	@scripts/test.sh release

test-full: test
	@scripts/test_full.sh

bench: build
	$(BUILD)/seqgpt bench --shape seqgpt-560m
	$(BUILD)/seqgpt bench --model $(MODEL)

serve: build
	$(BUILD)/seqgpt serve

package: setup
	@scripts/package.sh

format: setup-lint
	git ls-files '*.h' '*.cc' '*.cu' | xargs -r clang-format-19 -i

lint: setup-lint
	@scripts/lint.sh
