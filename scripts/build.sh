#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Configures and builds one CMake preset: all of it, or what is named: build.sh release --target seqgpt.
set -euo pipefail
cd "$(dirname "$0")/.."
preset="$1"
shift
cmake --preset "$preset" >/dev/null
cmake --build --preset "$preset" "$@"
