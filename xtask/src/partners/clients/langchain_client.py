"""Uses a model server with LangChain: langchain_client.py ADDRESS."""

import json
import sys

from langchain_core.messages import HumanMessage, ToolMessage
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI


@tool
def get_weather(city: str) -> str:
    """Tells the weather."""
    return f"21 degrees in {city}"


model = ChatOpenAI(base_url=f"{sys.argv[1]}/v1", model="stand-in", max_retries=0)
print(model.invoke("plain").content)
print("".join(chunk.text if isinstance(chunk.text, str) else chunk.text() for chunk in model.stream("streamed")))

messages = [HumanMessage("What is the weather in Bern?")]
for _ in range(2):
    said = model.bind_tools([get_weather]).invoke(messages)
    messages.append(said)
    for call in said.tool_calls:
        print(call["name"], call["args"])
        messages.append(ToolMessage(get_weather.invoke(call["args"]), tool_call_id=call["id"]))
print(messages[-1].content)
print(json.dumps([1, 1, 2]))
