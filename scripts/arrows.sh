#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The house's arrows: a folder of src/ includes only folders below it (HACKING.md). Fails on the first that points up.
set -euo pipefail
cd "$(dirname "$0")/.."
declare -A may=(
  [base]="" [tensor]="base" [tokenizer]="base" [normalize]="base" [task]="base" [weights]="base tensor"
  [backend]="base tensor" [model]="base tensor backend weights" [engine]="base tensor backend model"
  [constrain]="base tokenizer task engine" [store]="base" [records]="base"
  [pipeline]="base tensor tokenizer normalize task weights backend model engine constrain"
  [api]="base task normalize constrain pipeline"
  [batch]="base records task pipeline api"
  [eval]="base records task pipeline api batch"
  [tools]="base tensor tokenizer normalize task weights backend model engine constrain api store"
  [server]="base task pipeline api store"
  [cli]="base store server normalize task tensor backend tokenizer pipeline api tools records batch eval"
)
status=0
for folder in "${!may[@]}"; do
  [ -d "src/$folder" ] || continue
  while IFS=: read -r file line include; do
    target=$(sed -E 's/.*"([a-z]+)\/.*/\1/' <<<"$include")
    [ "$target" = "$folder" ] && continue
    grep -qw "$target" <<<"${may[$folder]}" && continue
    echo "arrows: $file:$line includes $target, which $folder must not know" >&2
    status=1
  done < <(grep -rnE '#include +"[a-z]+/' "src/$folder" || true)
done
if grep -rnE '\b(std::cout|printf\(|abort\(|getenv\()' src --include=*.cc --include=*.h | grep -vE '^src/(cli|server)/|snprintf'; then
  echo "arrows: stdout, abort and getenv belong to the mains only" >&2
  status=1
fi
exit $status
