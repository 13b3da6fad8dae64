#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# schemathesis (PyPI) over a live server by its own openapi.json: no 5xx, no answer that its schema does not allow, and the
# Python client's tests against the same server. EXAMPLES=N tries N requests an operation.
set -euo pipefail
cd "$(dirname "$0")/../.."
venv=build/api-venv
[ -x "$venv/bin/schemathesis" ] || {
  python3 -m venv "$venv"
  "$venv/bin/pip" install -q 'schemathesis>=4,<5' -e 'clients/python[test]'
}
data=$(mktemp -d)
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
build/release/seqgpt serve --port "$port" --data-dir "$data/state" 2>"$data/stderr" &
server=$!
trap 'kill "$server" 2>/dev/null; wait "$server" 2>/dev/null; rm -rf "$data"' EXIT
url="http://127.0.0.1:$port"
for _ in $(seq 600); do
  kill -0 "$server" || { cat "$data/stderr" >&2; exit 1; }
  curl -sf "$url/ready" >/dev/null && break
  sleep 0.1
done

echo "== the client's tests"
(cd clients/python && SEQGPT_TEST_URL="$url" ../../"$venv"/bin/python -m unittest discover -q -s tests && ../../"$venv"/bin/mypy src)

echo "== schemathesis"
"$venv/bin/schemathesis" --config-file tests/deploy/schemathesis.toml run "$url/openapi.json" --url "$url" \
  --max-examples "${EXAMPLES:-10}" --request-timeout 60 --workers 2 --continue-on-failure --generation-deterministic
