"""Uses a model server with openai-python: openai_client.py ADDRESS."""

import json
import sys

from openai import OpenAI

TOOL = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    },
}

client = OpenAI(base_url=f"{sys.argv[1]}/v1", max_retries=0)
model = client.models.list().data[0].id


def user(text: str) -> dict:
    return {"role": "user", "content": text}


plain = client.chat.completions.create(model=model, messages=[user("plain")])
print(plain.choices[0].message.content, plain.usage.total_tokens)

text, tokens = "", None
for chunk in client.chat.completions.create(
    model=model, messages=[user("streamed")], stream=True, stream_options={"include_usage": True}
):
    text += "".join(choice.delta.content or "" for choice in chunk.choices)
    tokens = chunk.usage.total_tokens if chunk.usage else tokens
print(text, tokens)

messages = [user("What is the weather in Bern?")]
for _ in range(2):
    said = client.chat.completions.create(model=model, messages=messages, tools=[TOOL]).choices[0].message
    messages.append(said)
    for call in said.tool_calls or []:
        print(call.function.name, call.function.arguments)
        messages.append({"role": "tool", "tool_call_id": call.id, "content": "21 degrees"})
print(messages[-1].content)

first = client.responses.create(model=model, input="stored")
print(first.output_text)
with client.responses.stream(model=model, input="continued", previous_response_id=first.id) as stream:
    for event in stream:
        pass
    print(stream.get_final_response().output_text)

print(client.completions.create(model=model, prompt="once").choices[0].text)
print(json.dumps([1, 1, 2, 2, 1]))
