#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# clang-format, first lines and the house's arrows over everything (seconds); clang-tidy over what changed since BASE
# (default: the upstream branch, or the last commit's parent). TIDY_LIMIT=N checks at most N of those files.
set -euo pipefail
cd "$(dirname "$0")/.."
mapfile -t all < <(git ls-files -co --exclude-standard -- '*.h' '*.cc' '*.cu')
clang-format-19 --dry-run -Werror "${all[@]}"
for file in "${all[@]}"; do
  head -1 "$file" | grep -q 'SPDX-License-Identifier: Apache-2.0' || { echo "lint: $file lacks its SPDX line" >&2; exit 1; }
done
scripts/arrows.sh
scripts/lint_page.py

base="${BASE:-$(git rev-parse --verify -q '@{upstream}' || true)}"
[ -n "$base" ] && [ "$base" != "$(git rev-parse HEAD)" ] || base=$(git rev-parse --verify -q HEAD~1 || git hash-object -t tree /dev/null)
mapfile -t changed < <({ git diff --name-only --diff-filter=d "$base"; git ls-files -o --exclude-standard; } |
                       grep -E '^src/.*\.cc$' | sort -u)
limit="${TIDY_LIMIT:-0}"
[ "$limit" -gt 0 ] && changed=("${changed[@]:0:$limit}")
if [ ${#changed[@]} -gt 0 ]; then
  [ -f build/release/compile_commands.json ] || cmake --preset release >/dev/null
  printf '%s\n' "${changed[@]}" | xargs -P "$(nproc)" -n 4 clang-tidy-19 -p build/release --quiet 2>/dev/null
fi
echo "lint: ${#all[@]} files formatted, ${#changed[@]} changed files tidy"
