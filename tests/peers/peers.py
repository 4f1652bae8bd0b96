"""What the scripts of this folder share: packages, the project's own programs, and a verdict."""
import hashlib
import json
import os
import pathlib
import subprocess
import sys

if sys.version_info < (3, 11):
    sys.exit("the peers need Python 3.11 or newer")

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
ROOM = ROOT / "target" / "peers"


def stop(message):
    """Says what is wrong, and fails."""
    print(message, file=sys.stderr)
    sys.exit(1)


def run(*command, **options):
    """Runs a command; fails with it."""
    done = subprocess.run(command, check=False, **options)
    if done.returncode != 0:
        stop(f"`{' '.join(map(str, command))}` failed with status {done.returncode}")
    return done


def is_stale(stamp, wanted):
    """Whether something else is installed than what is wanted."""
    return not stamp.exists() or stamp.read_text() != wanted


def with_packages(requirements):
    """Goes on in an environment that has the packages of a file; installs them unless they are there."""
    environment = ROOM / pathlib.Path(requirements).stem
    python = environment / "bin" / "python"
    if pathlib.Path(sys.prefix) == environment:
        return
    wanted = (HERE / requirements).read_text()
    stamp = environment / "installed"
    if is_stale(stamp, wanted):
        run(sys.executable, "-m", "venv", "--clear", environment)
        run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", HERE / requirements)
        stamp.write_text(wanted)
    os.execv(python, [python, *sys.argv])


def with_modules(manifest):
    """The folder in which the modules of a manifest are installed; installs them unless they are there."""
    wanted = (HERE / manifest).read_text()
    folder = ROOM / pathlib.Path(manifest).stem
    stamp = folder / "installed"
    if is_stale(stamp, wanted):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "package.json").write_text(wanted)
        run("npm", "install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts", cwd=folder)
        stamp.write_text(wanted)
    return folder


def program(name, package="polyloop-tests"):
    """The path of one of the project's own programs, built."""
    command = ["cargo", "build", "--quiet", "--locked", "-p", package, "--example", name]
    built = run(*command, "--message-format=json", cwd=ROOT, stdout=subprocess.PIPE, text=True)
    for line in built.stdout.splitlines():
        message = json.loads(line)
        if message.get("executable") and message["target"]["name"] == name:
            return message["executable"]
    return stop(f"cargo does not say where it built `{name}`")


def bodies():
    """The bodies of requests that the clients write: a list of objects, see `bodies/main.rs`."""
    printed = run(program("peer_bodies"), stdout=subprocess.PIPE, text=True)
    return [json.loads(line) for line in printed.stdout.split("\n") if line]


# What is in these belongs to the user, or is checked by itself.
OPEN = ("args", "input", "input_schema", "parameters", "parametersJsonSchema", "response", "schema")


def spoiled(value, path=""):
    """Copies of a body, each with a member that no provider knows in another place."""
    if isinstance(value, dict):
        yield path, {**value, "surprise": 1}
        for name, inner in value.items():
            if not (name in OPEN and isinstance(inner, dict)):
                yield from ((place, {**value, name: broken}) for place, broken in spoiled(inner, f"{path}.{name}"))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            for place, broken in spoiled(inner, f"{path}[{index}]"):
                yield place, value[:index] + [broken] + value[index + 1 :]


class Verdict:
    """What was held against a peer, and what the peer refused."""

    def __init__(self, peer, what="bodies"):
        self.peer = peer
        self.what = what
        self.checked = 0
        self.refused = {}

    def take(self, line, complaint):
        """Takes what a peer says of a line; the same complaint is told once, with the first conversations."""
        self.checked += 1
        if complaint is not None:
            key = (line["client"], complaint)
            self.refused.setdefault(key, []).append(f"{line['conversation']} ({line['reader']})")

    def close(self, least):
        """Says how it went; fails where something was refused, or where less was checked than there should be."""
        for (client, complaint), places in self.refused.items():
            print(f"{self.peer} refuses {client}: {complaint}\n    in {len(places)}: {', '.join(places[:4])}")
        if self.refused:
            stop(f"{self.peer}: {len(self.refused)} complaints about {self.checked} {self.what}")
        if self.checked < least:
            stop(f"{self.peer}: only {self.checked} {self.what} were checked; at least {least} were expected")
        print(f"{self.peer}: {self.checked} {self.what} taken")


def hold(peer, complaint_of, clients, least):
    """Holds the bodies of some clients against a peer; proves first that it would refuse what is wrong."""
    verdict = Verdict(peer)
    lines = [line for line in bodies() if line["client"] in clients and "body" in line]
    spoilable = {}
    for line in lines:
        if line["conversation"] in ("images", "parallel calls", "thoughts"):
            spoilable[line["client"], line["conversation"]] = line
    for (client, conversation), line in spoilable.items():
        for place, broken in spoiled(line["body"]):
            if complaint_of({**line, "body": broken}) is None:
                stop(f"{peer} takes a surprise of {client} in `{place}` of {conversation}, so this check checks nothing")
    for line in lines:
        verdict.take(line, complaint_of(line))
    verdict.close(least)
