#!/usr/bin/env bash
# The conformance suite of the Model Context Protocol, npm `@modelcontextprotocol/conformance`, against the peer server. Needs npm.
source "$(dirname "$0")/mcp/serving.sh"

node_packages conformance @modelcontextprotocol/conformance@0.1.16
conformance server --url "$url" --suite all --expected-failures "$peers/expected-failures.yml" --output-dir "$folder/results"
