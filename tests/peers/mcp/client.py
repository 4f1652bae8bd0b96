"""Speaks with the peer server as the Python SDK of the protocol does: over the standard streams and over HTTP."""

import asyncio
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError


async def speak(read, write):
    """Asks for everything that the server has, and asserts what comes."""
    async with ClientSession(read, write) as session:
        await session.initialize()
        tools = {tool.name: tool for tool in (await session.list_tools()).tools}
        assert {"add", "anything", "json_schema_2020_12_tool", "test_simple_text"} <= set(tools), tools
        assert tools["add"].annotations.read_only_hint is True
        assert all(tool.input_schema["type"] == "object" for tool in tools.values())

        added = await session.call_tool("add", {"a": 2, "b": 3})
        assert added.structured_content == {"sum": 5} and not added.is_error, added
        refused = await session.call_tool("add", {"a": 2, "b": 300})
        assert refused.is_error and "300 is greater than the maximum of 100" in refused.content[0].text, refused
        failed = await session.call_tool("test_error_handling", {})
        assert failed.is_error, failed

        heard = []

        async def hear(progress, total, message):
            heard.append((progress, message))

        await session.call_tool("test_tool_with_progress", {}, progress_callback=hear)
        assert heard == [(1, "0/100"), (2, "50/100"), (3, "100/100")], heard

        resources = (await session.list_resources()).resources
        text = (await session.read_resource(resources[0].uri)).contents[0].text
        assert text == "This is the content of the static text resource.", text

        try:
            await session.call_tool("gone", {})
        except MCPError as error:
            assert "there is no tool `gone`" in str(error), error
        else:
            raise AssertionError("an unknown tool was called")


async def main(program, url):
    """Speaks over both."""
    async with stdio_client(StdioServerParameters(command=program)) as (read, write):
        await speak(read, write)
    async with streamable_http_client(url) as streams:
        await speak(streams[0], streams[1])
    print("the Python SDK: all as expected")


asyncio.run(main(sys.argv[1], sys.argv[2]))
