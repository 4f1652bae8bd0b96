#!/usr/bin/env bash
# The Python SDK of the Model Context Protocol, PyPI `mcp`, as a client of the peer server. Needs Python 3.10 with `venv`.
source "$(dirname "$0")/mcp/serving.sh"

room="$(pwd)/target/peers/mcp-python"
if ! "$room/bin/python" -c 'import mcp' 2>/dev/null; then
    python3 -m venv --clear "$room"
    "$room/bin/pip" install --quiet --disable-pip-version-check mcp==2.3.0
fi
"$room/bin/python" "$peers/client.py" "$program" "$url"
