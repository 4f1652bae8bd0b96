#!/usr/bin/env python3
"""Runs an agent with a tool that must not act twice against `llmock`, a server that misbehaves on demand, through each client:
whatever fails, before the tool acted or after it, the run comes to its answer, nothing is done twice, and the server has nothing to
say against how it was asked again."""
import concurrent.futures
import json
import pathlib
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

import peers

peers.with_packages("python.txt")

PATHS = {
    "OpenAi": "/v1/chat/completions",
    "OpenAiResponses": "/v1/responses",
    "Anthropic": "/anthropic/*",
    "Gemini": "/gemini/*",
}
# What the server does, how often, and what is to come of it: whether a request fails, and whether the call is carried out.
FAULTS = {
    "429": ({"type": "fail", "status": 429, "retry_after": 0.7, "times": 2}, "rate_limited"),
    "500": ({"type": "fail", "status": 500, "times": 2}, "server"),
    "529": ({"type": "fail", "status": 529, "retry_after": 0.3, "times": 2}, "overloaded"),
    "slow": ({"type": "delay", "seconds": 0.3}, None),
}
STREAM_FAULTS = {
    "slow first token": ({"type": "slow_first_token", "seconds": 0.3}, None),
    "no first token": ({"type": "slow_first_token", "seconds": 20}, "timeout"),
    "stall": ({"type": "stream_fault", "kind": "stall", "stall_seconds": 20}, "timeout"),
    "truncated stream": ({"type": "stream_fault", "kind": "truncate"}, "transport"),
    "dropped connection": ({"type": "stream_fault", "kind": "disconnect"}, "transport"),
    "bad chunk": ({"type": "stream_fault", "kind": "malformed"}, "protocol"),
}
TOOL_FAULTS = {
    "malformed arguments": ({"type": "tool_fault", "kind": "malformed_arguments"}, None),
    "unknown tool": ({"type": "tool_fault", "kind": "unknown_tool"}, None),
}


class Server:
    """The server, as long as it is needed."""

    def __enter__(self):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        command = [pathlib.Path(sys.prefix) / "bin" / "llmock"]
        self.log = open(peers.ROOM / "llmock.log", "w+")
        arguments = ["serve", "--port", str(self.port), "--log-level", "warning"]
        self.process = subprocess.Popen(command + arguments, stdout=self.log, stderr=self.log)
        for _ in range(600):
            try:
                self.ask("/health")
                return self
            except OSError:
                if self.process.poll() is not None:
                    break
                time.sleep(0.1)
        self.log.seek(0)
        return peers.stop(f"llmock did not start: {self.log.read()[-2000:]}")

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()

    def ask(self, path, said=None):
        data = None if said is None else json.dumps(said).encode()
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(urllib.request.Request(self.url + path, data=data), timeout=30) as answer:
            return json.loads(answer.read())


def held(server, program, client, name, fault, form, place):
    """One run; the server misbehaves before the run begins, or while the tool acts."""
    goal = f"Send money, please. ({name}, {form}, {place})"
    process = subprocess.Popen([program, client, server.url, form, goal], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    for line in process.stdout:
        if line.startswith("{"):
            said = json.loads(line)
            break
        if line.strip() == place:
            server.ask("/_llmock/scenario", {"behaviors": [{**fault, "match": {"path": PATHS[client]}}]})
        process.stdin.write("\n")
        process.stdin.flush()
    else:
        said = {"ending": f"no report; status {process.wait()}"}
    process.communicate()
    return said


def complaints(said, name, expected, place):
    """What is wrong with a run."""
    is_tool_fault = name in TOOL_FAULTS
    acts = 0 if is_tool_fault and place == "begins" else 1
    if said["ending"] != "FinalAnswer":
        yield f"it ended with {said['ending']}"
        return
    if len(said["effects"]) != acts or len(set(said["effects"])) != len(said["effects"]):
        yield f"the effects are {said['effects']}"
    if any(count > 1 for kind in ("intents", "outcomes") for count in said[kind].values()) or len(said["intents"]) != acts:
        yield f"the journal has {said['intents']} and {said['outcomes']}"
    classes = {failure.partition(":")[0].replace(" ", "_") for failure in said["failures"]}
    if expected is not None and expected not in classes:
        yield f"no request failed as `{expected}`, but as {sorted(classes)}"
    if expected is None and said["failures"]:
        yield f"requests failed: {said['failures']}"
    if is_tool_fault and not any(shown.startswith("not executed: ") for shown in said["observed"]):
        yield f"the model is not told what is wrong: {said['observed']}"


def runs_of(client):
    for form, faults in (("stream", {**FAULTS, **STREAM_FAULTS, **TOOL_FAULTS}), ("whole", {**FAULTS, **TOOL_FAULTS})):
        for name, (fault, expected) in faults.items():
            for place in ("begins", "acts"):
                if fault["type"] == "stream_fault":
                    # A call of Gemini's is whole in the first chunk.
                    fault = {**fault, "after_chunks": 0 if client == "Gemini" and place == "begins" else 2}
                yield name, fault, expected, form, place


def all_of(server, program, client):
    wrong = []
    count = 0
    for name, fault, expected, form, place in runs_of(client):
        count += 1
        said = held(server, program, client, name, fault, form, place)
        for complaint in complaints(said, name, expected, place):
            wrong.append(f"{client}, {form}, {name} while it {place}: {complaint}")
    return count, wrong


program = peers.program("peer_faults")
with Server() as server:
    with concurrent.futures.ThreadPoolExecutor() as pool:
        done = list(pool.map(lambda client: all_of(server, program, client), PATHS))
    waiting = server.ask("/_llmock/scenario")["pending"]
    verdict = server.ask("/_llmock/verdict")
    report = [pathlib.Path(sys.prefix) / "bin" / "llmock", "report", "--url", server.url]
    passed = subprocess.run(report, check=False, capture_output=True, text=True)
wrong = [complaint for _, complaints in done for complaint in complaints]
print("\n".join(wrong))
if waiting:
    wrong.append("faults that never came")
    print(f"these faults never came: {waiting}")
for finding in verdict["findings"]:
    print(f"{finding['severity']}: {finding['code']} {finding['path']}: {finding['title']}")
if passed.returncode != 0:
    peers.stop(passed.stdout + passed.stderr)
if wrong:
    peers.stop(f"llmock: {len(wrong)} complaints about {sum(count for count, _ in done)} runs")
print(f"llmock: {sum(count for count, _ in done)} runs, {verdict['attempts']} requests, {verdict['faults_injected']} faults, "
      f"no FAIL, {verdict['warnings']} warnings")
