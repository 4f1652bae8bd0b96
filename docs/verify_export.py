"""Checks a session that `export_session` wrote: python3 verify_export.py FILE [--key HEX] [--head RECORDS:HASH]

It needs nothing but Python. With the package `blake3` it is some hundred times as fast. See docs/20-chain.md.
"""

import argparse, json, re, struct, sys

IV = [0x6A09E667, 0xBB67AE85, 0x3C6EF372, 0xA54FF53A, 0x510E527F, 0x9B05688C, 0x1F83D9AB, 0x5BE0CD19]
MASK, ORDER = 0xFFFFFFFF, [2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8]
LANES = [(0, 4, 8, 12), (1, 5, 9, 13), (2, 6, 10, 14), (3, 7, 11, 15), (0, 5, 10, 15), (1, 6, 11, 12), (2, 7, 8, 13), (3, 4, 9, 14)]


def compress(chain, block, counter, flags):
    words, v = list(struct.unpack("<16I", block.ljust(64, b"\0"))), [*chain, *IV[:4], counter & MASK, counter >> 32, len(block), flags]
    for _ in range(7):
        for lane, (a, b, c, d) in enumerate(LANES):
            for word, (left, right) in zip(words[2 * lane : 2 * lane + 2], ((16, 12), (8, 7))):
                v[a] = (v[a] + v[b] + word) & MASK
                v[d] = ((v[d] ^ v[a]) >> left | (v[d] ^ v[a]) << (32 - left)) & MASK
                v[c] = (v[c] + v[d]) & MASK
                v[b] = ((v[b] ^ v[c]) >> right | (v[b] ^ v[c]) << (32 - right)) & MASK
        words = [words[place] for place in ORDER]
    return [v[i] ^ v[i + 8] for i in range(8)]


def plain_blake3(data, key=None):
    start, mode = (struct.unpack("<8I", key), 16) if key else (IV, 0)

    def node(data, first, root):
        if len(data) <= 1024:
            chain, blocks = start, [data[i : i + 64] for i in range(0, len(data), 64)] or [b""]
            for place, block in enumerate(blocks):
                last = place == len(blocks) - 1
                chain = compress(chain, block, first, mode | (place == 0) | (last and 2 | root))
            return chain
        left = 1024 << (((len(data) - 1) // 1024).bit_length() - 1)
        both = node(data[:left], first, 0) + node(data[left:], first + left // 1024, 0)
        return compress(start, struct.pack("<16I", *both), 0, mode | 4 | root)

    return struct.pack("<8I", *node(data, 0, 8)).hex()


try:
    from blake3 import blake3 as fast
    blake3 = lambda data, key=None: fast(data, key=key).hexdigest() if key else fast(data).hexdigest()
except ImportError:
    blake3 = plain_blake3

TOMBSTONE = re.compile(r'\{"redacted":"([0-9a-f]{64})","event":(.*)\}', re.DOTALL)
CODE = re.compile(r'(.*?),?"chain_mac":"([0-9a-f]{64})"\}', re.DOTALL)


def chained(record, payload):
    numbers = struct.pack("<6Q", *(int(record[name]) for name in ("seq", "run", "epoch", "v", "ignorable", "at")))
    texts = (text.encode() for text in (record["session"], record["kind"], record["prev_hash"], payload))
    return blake3(numbers + b"".join(struct.pack("<Q", len(text)) + text for text in texts))


def as_kept(record, payload):
    return chained(record, blake3(payload.encode()))


def need(holds, otherwise):
    if not holds:
        raise ValueError(otherwise)


def verify(lines, key=None, head=None):
    before, records, hashes, removed, stated = "0" * 64, [], [], {}, {}
    for place, line in enumerate(lines):
        record = json.loads(line)
        payload, tombstone = record["payload"], TOMBSTONE.fullmatch(record["payload"])
        covers = tombstone.group(1) if tombstone else payload if record["v"] < 2 else blake3(payload.encode())
        own = covers if tombstone and record["v"] < 2 else chained(record, covers)
        need(record["seq"] == place, f"record {place} is missing")
        need(record["prev_hash"] == before, f"record {place} does not follow the one before")
        need(record["hash"] == own, f"record {place} was changed")
        if tombstone:
            removed[place] = as_kept(record, payload)
        if record["kind"] == "records.redacted" and "session" not in json.loads(payload):
            stated.update((each["seq"], each["hash"]) for each in json.loads(payload)["records"])
        before = own
        records.append(record), hashes.append(own)
    need(records, "there is no record")
    for place, left in removed.items():
        need(stated.get(place) == left, f"record {place} lost its text, and no later record states it")
    if key:
        code = CODE.fullmatch(records[-1]["payload"])
        need(code, "the last record carries no code")
        kept = as_kept(records[-1], code.group(1) + "}")
        need(blake3(b"polyloop.chain_mac.1" + kept.encode(), key) == code.group(2), "the code of the last record is wrong")
    if head:
        need(hashes[head[0] - 1 : head[0]] == [head[1]], "the head is not in the session")
    return len(records), before, sorted(removed)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("file"), parser.add_argument("--key", type=bytes.fromhex)
    parser.add_argument("--head", type=lambda text: (int(text.split(":")[0]), text.split(":")[1]))
    given = parser.parse_args()
    try:
        count, last, gone = verify(open(given.file, encoding="utf-8").read().rstrip("\n").split("\n"), given.key, given.head)
    except (ValueError, KeyError, TypeError) as error:
        sys.exit(f"refused: {error}")
    print(f"{count} records, head {count}:{last}, redacted {gone}; key {'proved' if given.key else 'not checked'}")
