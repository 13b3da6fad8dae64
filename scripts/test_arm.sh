#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Cross-compiles base, tensor, the CPU backend and its tests for 64-bit ARM and runs them under qemu-user.
set -euo pipefail
cd "$(dirname "$0")/.."
out=build/arm
mkdir -p "$out"
cxx="aarch64-linux-gnu-g++ -std=c++20 -O2 -Wall -Wextra -Werror -Wno-restrict -ffp-contract=off -Isrc -Itests"
gtest=/usr/src/googletest/googletest
compile() {  # compile SOURCE OBJECT FLAGS...
  [ "$2" -nt "$1" ] || ccache $cxx "${@:3}" -c "$1" -o "$2"
}
compile "$gtest/src/gtest-all.cc" "$out/gtest.o" -I"$gtest" -I"$gtest/include"
compile "$gtest/src/gtest_main.cc" "$out/gtest_main.o" -I"$gtest/include"
for source in src/base/*.cc src/tensor/*.cc src/backend/cpu/*.cc tests/backend/*.cc; do
  case "$source" in */isa_avx*) continue ;; esac
  ccache $cxx -I"$gtest/include" -c "$source" -o "$out/$(tr '/' '_' <<<"$source").o"
done
aarch64-linux-gnu-g++ -static "$out"/*.o -lpthread -o "$out/backend_test"
qemu-aarch64 "$out/backend_test"
