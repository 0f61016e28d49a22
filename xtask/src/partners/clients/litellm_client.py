"""Uses a model server with LiteLLM: litellm_client.py ADDRESS."""

import json
import sys

import litellm

TOOL = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "Tells the weather.",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    },
}


def ask(messages: list, **more):
    return litellm.completion(model="openai/stand-in", api_base=f"{sys.argv[1]}/v1", messages=messages, num_retries=0, **more)


def user(text: str) -> dict:
    return {"role": "user", "content": text}


print(ask([user("plain")]).choices[0].message.content)
print("".join(chunk.choices[0].delta.content or "" for chunk in ask([user("streamed")], stream=True)))
messages = [user("What is the weather in Bern?")]
for _ in range(2):
    said = ask(messages, tools=[TOOL]).choices[0].message
    messages.append(said.model_dump(exclude_none=True))
    for call in said.tool_calls or []:
        print(call.function.name, call.function.arguments)
        messages.append({"role": "tool", "tool_call_id": call.id, "content": "21 degrees"})
print(messages[-1]["content"])
print(json.dumps([1, 1, 2]))
