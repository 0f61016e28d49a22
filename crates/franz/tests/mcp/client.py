"""Uses `franz mcp` with the Python client of the Model Context Protocol: client.py FRANZ."""

import asyncio
import base64
import sys
import tempfile

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client


async def main(franz: str, directory: str) -> None:
    options = ["mcp", "--screen", "canvas", "--run-dir", f"{directory}/run", "--dashboard", "127.0.0.1:0"]
    server = StdioServerParameters(command=franz, args=options, cwd=directory)
    async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
        introduced = await session.initialize()
        assert introduced.server_info.name == "franz", introduced
        tools = {tool.name: tool for tool in (await session.list_tools()).tools}
        assert "click_element" in tools and "finish" not in tools, sorted(tools)

        async def call(tool: str, **arguments):
            result = await session.call_tool(tool, arguments)
            words = [part.text for part in result.content if part.type == "text"]
            pictures = [part for part in result.content if part.type == "image"]
            return result.is_error, " ".join(words), pictures

        failed, _, [before] = await call("observe_screen")
        assert not failed and base64.b64decode(before.data).startswith(b"\x89PNG"), before.mime_type
        failed, words, [after] = await call("click_element", label="a dot", box=[500, 500])
        assert not failed and "clicked_at" in words, words
        assert after.data != before.data, "the dot is in the picture"
        failed, words, _ = await call("click_element", label="a dot", box=[5000, 3])
        assert failed and "from 0 to 1000" in words, words
        failed, _, pictures = await call("observe_screen", picture=False)
        assert not failed and not pictures
        print(f"the Python client lists {len(tools)} tools and calls them, by protocol {introduced.protocol_version}")


with tempfile.TemporaryDirectory() as directory:
    asyncio.run(asyncio.wait_for(main(sys.argv[1], directory), 120))
