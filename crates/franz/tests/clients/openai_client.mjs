// Uses a model server with openai-node: openai_client.mjs ADDRESS.

import OpenAI from "openai";

const tool = {
  type: "function",
  function: { name: "get_weather", parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] } },
};
const user = (content) => ({ role: "user", content });

const client = new OpenAI({ baseURL: `${process.argv[2]}/v1`, maxRetries: 0 });
const model = (await client.models.list()).data[0].id;

const plain = await client.chat.completions.create({ model, messages: [user("plain")] });
console.log(plain.choices[0].message.content, plain.usage.total_tokens);

let [text, tokens] = ["", null];
for await (const chunk of await client.chat.completions.create({ model, messages: [user("streamed")], stream: true, stream_options: { include_usage: true } })) {
  text += chunk.choices.map(({ delta }) => delta.content ?? "").join("");
  tokens = chunk.usage?.total_tokens ?? tokens;
}
console.log(text, tokens);

const messages = [user("What is the weather in Bern?")];
for (let turn = 0; turn < 2; turn += 1) {
  const { message } = (await client.chat.completions.create({ model, messages, tools: [tool] })).choices[0];
  messages.push(message);
  for (const call of message.tool_calls ?? []) {
    console.log(call.function.name, call.function.arguments);
    messages.push({ role: "tool", tool_call_id: call.id, content: "21 degrees" });
  }
}
console.log(messages.at(-1).content);

const first = await client.responses.create({ model, input: "stored" });
console.log(first.output_text);
const stream = await client.responses.create({ model, input: "continued", previous_response_id: first.id, stream: true });
for await (const event of stream) if (event.type === "response.completed") console.log(event.response.output[0].content[0].text);

console.log((await client.completions.create({ model, prompt: "once" })).choices[0].text);
console.log(JSON.stringify([1, 1, 2, 2, 1]));
