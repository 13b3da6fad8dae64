#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the release and packs it: build/package/seqgpt_VERSION_ARCH.deb and seqgpt-VERSION-Linux.tar.gz.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/setup.sh package
cmake --preset release >/dev/null
cmake --build --preset release --target seqgpt
rm -rf build/package
cpack --config build/release/CPackConfig.cmake >/dev/null
rm -rf build/package/_CPack_Packages
ls -l build/package
