#!/usr/bin/env bash
# The inspector of the Model Context Protocol, npm `@modelcontextprotocol/inspector`, against the peer server: over the standard
# streams and over HTTP. Needs npm.
source "$(dirname "$0")/mcp/serving.sh"

node_packages @modelcontextprotocol/inspector

# Fails unless the inspector prints, in compact form, what is expected.
expect() {
    local expected="$1" said
    shift
    said="$(mcp-inspector --cli "$@" | tr -d ' \n')"
    if [[ "$said" != *"$expected"* ]]; then
        printf 'the inspector was asked: %s\nit lacks: %s\nit says: %s\n' "$*" "$expected" "$said" >&2
        exit 1
    fi
}

for target in "$program" "$url --transport http"; do
    # shellcheck disable=SC2086 # an address comes with its option
    {
        expect '"name":"anything"' $target --method tools/list
        expect '"readOnlyHint":true,"idempotentHint":true' $target --method tools/list
        expect '"structuredContent":{"sum":5}' $target --method tools/call --tool-name add --tool-arg a=2 --tool-arg b=3
        expect '"isError":true' $target --method tools/call --tool-name add --tool-arg a=2 --tool-arg b=300
        expect '"isError":true' $target --method tools/call --tool-name test_error_handling
        expect '"uri":"test://static-text"' $target --method resources/list
        expect 'statictextresource.' $target --method resources/read --uri test://static-text
        if mcp-inspector --cli $target --method tools/call --tool-name gone 2>"$folder/said"; then
            echo "the inspector called a tool that is not there" >&2
            exit 1
        fi
        grep --quiet 'there is no tool `gone`' "$folder/said"
    }
done
echo "the inspector: all as expected"
