#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the tests of one built preset.
set -euo pipefail
cd "$(dirname "$0")/.."
ctest --preset "$1" "${@:2}"
