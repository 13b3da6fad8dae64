#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What is slow or needs PyPI, after `make test`: sanitizers, fuzzers, the kernels on ARM, the page where it is hard, for axe-core
# and in an old engine, the training code, the deploy files under the programs they are for, schemathesis, the package in a clean
# root. Run before a release.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/setup.sh full
FUZZ_SECONDS="${FUZZ_SECONDS:-60}"

echo "== address and undefined-behaviour sanitizers"
scripts/build.sh asan+ubsan
scripts/test.sh asan+ubsan

echo "== thread sanitizer: the pool, the engine, the pipeline"
# Not the server: g++ 12 knows no fences under this sanitizer, and Boost.Asio is made of them.
scripts/build.sh tsan --target base_test model_test constrain_test pipeline_test eval_test
scripts/test.sh tsan -R 'ThreadPool|Invariance|Extraction' -E '^ExtractionConstraint'

echo "== fuzzers, ${FUZZ_SECONDS} s each"
# Nothing but the fuzzers: Boost.Asio 1.74 knows no coroutines under clang 19, which the server is made of.
scripts/build.sh fuzz --target fuzzers
for fuzzer in build/fuzz/tests/fuzz/*_fuzz; do
  name=$(basename "$fuzzer" _fuzz)
  mkdir -p "build/fuzz/corpus/$name"
  "$fuzzer" -max_total_time="$FUZZ_SECONDS" -rss_limit_mb=2048 -print_final_stats=0 "build/fuzz/corpus/$name" "tests/fuzz/corpus/$name"
done

echo "== kernels on ARM under qemu"
scripts/test_arm.sh

echo "== the page where it is hard, and axe-core (PyPI)"
python3 -m venv build/axe-venv
build/axe-venv/bin/pip install -q --no-deps axe-core-python==0.1.0
SEQGPT_AXE=$(find "$PWD/build/axe-venv" -name axe.min.js -print -quit) /usr/bin/python3 tests/page/run.py test_slow test_elsewhere

echo "== the page in Chromium 83 (Qt WebEngine, PyPI)"
/usr/bin/python3 -m venv --system-site-packages build/qt-venv
build/qt-venv/bin/pip install -q PyQt5==5.15.10 PyQt5-Qt5==5.15.2 PyQtWebEngine==5.15.6 PyQtWebEngine-Qt5==5.15.2
build/qt-venv/bin/python tests/page/old_engine.py

echo "== training (PyPI)"
python3 -m venv build/training-venv
build/training-venv/bin/pip install -q -r training/requirements.txt
build/training-venv/bin/python -m pytest -q training

echo "== deploy files: supervisord with kill -9, nginx, systemd-analyze, promtool"
python3 -m unittest discover -v -s tests/deploy

echo "== the interface by its own description (PyPI)"
tests/deploy/fuzz_api.sh

echo "== package, in a clean Debian 12 root"
scripts/package.sh
tests/deploy/package_root.sh
echo "test-full: all passed"
