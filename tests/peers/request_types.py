#!/usr/bin/env python3
"""Holds the bodies of requests to OpenAI against the types with which its own Python package writes requests, closed: a member
that a type does not name is refused."""
import types
import typing
from collections.abc import Iterable

import peers

peers.with_packages("python.txt")

import pydantic
import typing_extensions
from openai.types.chat import completion_create_params
from openai.types.responses import response_create_params

CLOSED = pydantic.ConfigDict(extra="forbid")
known = {}


def closed(kind):
    """The same type, closed: dictionaries take no further member, and what can be iterated is a list."""
    origin, inner = typing_extensions.get_origin(kind), typing_extensions.get_args(kind)
    if typing_extensions.is_typeddict(kind):
        return closed_dictionary(kind)
    if origin in (typing_extensions.Required, typing_extensions.NotRequired, typing_extensions.Annotated):
        return origin[(closed(inner[0]), *inner[1:])] if origin is typing_extensions.Annotated else origin[closed(inner[0])]
    if origin in (Iterable, list, typing.Sequence):
        return list[closed(inner[0])]
    if origin in (typing.Union, types.UnionType):
        return typing.Union[tuple(closed(member) for member in inner)]
    if origin is dict:
        return dict[closed(inner[0]), closed(inner[1])]
    return kind


def closed_dictionary(kind):
    if kind not in known:
        # A type may hold itself, so its name stands for it until it is there.
        known[kind] = typing.ForwardRef(f"Closed{len(known)}")
        name = known[kind].__forward_arg__
        members = typing_extensions.get_type_hints(kind, include_extras=True)
        members = {member: required(kind, member, closed(value)) for member, value in members.items()}
        made = typing_extensions.TypedDict(name, members)
        made.__pydantic_config__ = CLOSED
        made.__module__ = __name__
        globals()[name] = made
    return known[kind]


def required(kind, member, value):
    origin = typing_extensions.get_origin(value)
    if origin in (typing_extensions.Required, typing_extensions.NotRequired):
        return value
    wrapper = typing_extensions.Required if member in kind.__required_keys__ else typing_extensions.NotRequired
    return wrapper[value]


def adapter(kind):
    reference = closed(kind)
    made = globals()[reference.__forward_arg__]
    return pydantic.TypeAdapter(made)


def both(module, name):
    """The types of a request that streams and of one that does not."""
    return {True: adapter(getattr(module, f"{name}Streaming")), False: adapter(getattr(module, f"{name}NonStreaming"))}


def complaint_of(line):
    body = line["body"]
    try:
        adapters[line["client"]][body.get("stream", False)].validate_python(body, strict=True)
    except pydantic.ValidationError as error:
        # Of all alternatives, the one that fits longest tells most.
        deepest = max(error.errors(include_url=False), key=lambda each: len(each["loc"]))
        place = ".".join("[]" if isinstance(step, int) else step for step in deepest["loc"])
        return f"`{place}`: {deepest['msg']}, {str(deepest['input'])[:100]!r}"
    return None


adapters = {
    "OpenAi": both(completion_create_params, "CompletionCreateParams"),
    "OpenAiResponses": both(response_create_params, "ResponseCreateParams"),
}
peers.hold("openai (Python)", complaint_of, adapters, 500)
