#!/usr/bin/env bash
# The Python SDK of the Model Context Protocol, PyPI `mcp`, as a client of the peer server. Needs Python 3.10 with `venv`.
source "$(dirname "$0")/mcp/serving.sh"

python3 -m venv "$folder/python"
"$folder/python/bin/pip" install --quiet --disable-pip-version-check 'mcp>=2'
"$folder/python/bin/python" "$peers/client.py" "$program" "$url"
