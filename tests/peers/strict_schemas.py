#!/usr/bin/env python3
"""Holds each schema that is sent to OpenAI as strict against the helper with which its own JavaScript package makes schemas strict:
it must leave each as it is."""
import json
import subprocess

import peers

folder = peers.with_modules("node.json")
# A schema that is not strict, to prove that the helper would change it.
loose = {"type": "object", "properties": {"a": {"type": "string"}}}
proof = {"client": "a proof", "body": {"tools": [{"strict": True, "parameters": loose}]}}
lines = "\n".join(map(json.dumps, [proof, *peers.bodies()]))
said = peers.run("node", peers.HERE / "strict_schemas.mjs", cwd=folder, input=lines, stdout=subprocess.PIPE, text=True)
proof, *checked = map(json.loads, filter(None, said.stdout.split("\n")))
if proof["complaint"] is None:
    peers.stop("openai (JavaScript) leaves a schema as it is that is not strict, so this check checks nothing")
verdict = peers.Verdict("openai (JavaScript)", "schemas")
for line in checked:
    verdict.take(line, line["complaint"])
verdict.close(500)
