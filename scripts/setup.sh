#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs the Debian packages that a build needs, only those missing. `setup.sh test` adds what tests need, `lint` the lint
# tools, `package` those of `make package`, `full` the rest.
set -euo pipefail
packages=(g++ cmake ninja-build ccache pkg-config git nlohmann-json3-dev libcli11-dev libutf8proc-dev libre2-dev
          libphonenumber-dev libboost-dev libssl-dev zlib1g-dev libzstd-dev liblzma-dev libsodium-dev libsqlite3-dev
          libhiredis-dev libspdlog-dev libcurl4-openssl-dev libgtest-dev redis-server python3)
browser=(chromium chromium-driver python3-selenium fonts-wqy-microhei poppler-utils)
case "${1:-}" in
  test) packages+=("${browser[@]}") ;;
  lint) packages+=(clang-format-19 clang-tidy-19 nodejs) ;;
  package) packages+=(dpkg-dev file) ;;
  full) packages+=("${browser[@]}" clang-19 libclang-rt-19-dev g++-aarch64-linux-gnu qemu-user python3-venv libjemalloc2
                   dpkg-dev file mmdebstrap supervisor nginx-light systemd prometheus python3-yaml curl
                   libgl1 libx11-xcb1 libxcursor1 libxi6 libxtst6) ;;
esac
missing=()
for package in "${packages[@]}"; do
  dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0
if [ "$(id -u)" -eq 0 ]; then sudo=""; else
  command -v sudo >/dev/null || { echo "setup: need root or sudo to install: ${missing[*]}" >&2; exit 1; }
  sudo="sudo"
fi
echo "setup: installing ${missing[*]}" >&2
$sudo apt-get update -qq
DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
