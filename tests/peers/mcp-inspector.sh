#!/usr/bin/env bash
# The inspector of the Model Context Protocol, npm `@modelcontextprotocol/inspector`, against the peer server: over the standard
# streams and over HTTP. Needs npm.
source "$(dirname "$0")/mcp/serving.sh"

node_packages inspector @modelcontextprotocol/inspector@2.12.0

# Fails unless the inspector prints, in compact form, what is expected.
expect() {
    local expected="$1" said
    shift
    # It fails where a tool does; what it says is looked at all the same.
    said="$({ mcp-inspector --cli "$@" 2>&1 || true; } | tr -d ' \n')"
    if [[ "$said" != *"$expected"* ]]; then
        printf 'the inspector was asked: %s\nit lacks: %s\nit says: %s\n' "$*" "$expected" "$said" >&2
        exit 1
    fi
}

for target in "$program" "$url --transport http"; do
    # shellcheck disable=SC2086 # an address comes with its option
    {
        expect '"name":"anything"' $target --method tools/list
        # Fails where a client could trip over a schema.
        mcp-inspector --cli $target --method tools/list --strict >/dev/null
        expect '"readOnlyHint":true,"idempotentHint":true' $target --method tools/list
        expect '"structuredContent":{"sum":5}' $target --method tools/call --tool-name add --tool-arg a=2 --tool-arg b=3
        expect 'isError:true' $target --method tools/call --tool-name add --tool-arg a=2 --tool-arg b=300
        expect 'isError:true' $target --method tools/call --tool-name test_error_handling
        expect '"uri":"test://static-text"' $target --method resources/list
        expect 'statictextresource.' $target --method resources/read --uri test://static-text
    }
done
echo "the inspector: all as expected"
