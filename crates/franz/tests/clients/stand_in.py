"""A model server with fixed replies, for tests of clients. It calls a tool once if there is one, and echoes otherwise."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

MODEL = "stand-in"
USAGE = {"prompt_tokens": 7, "completion_tokens": 5, "total_tokens": 12}


def text_of(content) -> str:
    if isinstance(content, list):
        return " ".join(part.get("text", "") for part in content)
    return content or ""


def reply(body: dict) -> dict:
    """Returns the message that answers a chat request."""
    messages = body["messages"]
    tools = {tool["function"]["name"] for tool in body.get("tools") or []}
    last = messages[-1]
    # Some clients send the result of a tool as a message of the user.
    has_result = last["role"] == "tool" or "21 degrees in" in text_of(last["content"])
    if "bash" in tools:
        ends = any(message["role"] == "assistant" for message in messages)
        return called("bash", {"command": "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT" if ends else "echo hello"})
    if "final_answer" in tools and has_result:
        return called("final_answer", {"answer": "sunny"})
    if "get_weather" in tools and not has_result:
        return called("get_weather", {"city": "Bern"})
    if last["role"] == "tool":
        return {"content": f"The tool says: {text_of(last['content'])}"}
    return {"content": f"You said: {text_of(last['content'])} 🐈"}


def called(name: str, arguments: dict) -> dict:
    call = {"id": f"call_{name}", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
    return {"content": None, "tool_calls": [call]}


def chat(body: dict) -> dict:
    message = {"role": "assistant", **reply(body)}
    finish = "tool_calls" if message.get("tool_calls") else "stop"
    choices = [{"index": 0, "message": message, "finish_reason": finish}]
    return {"id": "c1", "object": "chat.completion", "created": 1, "model": MODEL, "choices": choices, "usage": USAGE}


def chat_chunks(body: dict):
    message = reply(body)
    deltas = [{"role": "assistant", "content": ""}]
    deltas += [{"content": letter} for letter in message["content"] or ""]
    for call in message.get("tool_calls", []):
        function = call["function"]
        deltas.append({"tool_calls": [{"index": 0, **call, "function": {"name": function["name"], "arguments": ""}}]})
        deltas += [{"tool_calls": [{"index": 0, "function": {"arguments": letter}}]} for letter in function["arguments"]]
    chunk = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": MODEL}
    for delta in deltas:
        yield {**chunk, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
    finish = "tool_calls" if message.get("tool_calls") else "stop"
    yield {**chunk, "choices": [{"index": 0, "delta": {}, "finish_reason": finish}]}
    if (body.get("stream_options") or {}).get("include_usage"):
        yield {**chunk, "choices": [], "usage": USAGE}


def response(body: dict) -> dict:
    said = body["input"] if isinstance(body["input"], str) else text_of(body["input"][-1].get("content"))
    content = [{"type": "output_text", "text": f"You said: {said} 🐈", "annotations": []}]
    message = {"type": "message", "id": "m1", "role": "assistant", "status": "completed", "content": content}
    usage = {"input_tokens": 7, "output_tokens": 5, "total_tokens": 12}
    usage |= {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
    return {
        **{"id": f"resp_{said}", "object": "response", "created_at": 1, "status": "completed", "model": MODEL},
        **{"output": [message], "usage": usage, "parallel_tool_calls": True, "tool_choice": "auto", "tools": []},
    }


def response_events(body: dict):
    whole = response(body)
    text = whole["output"][0]["content"][0]["text"]
    yield {"type": "response.created", "sequence_number": 0, "response": {**whole, "output": [], "status": "in_progress"}}
    item = {**whole["output"][0], "content": [], "status": "in_progress"}
    yield {"type": "response.output_item.added", "sequence_number": 1, "output_index": 0, "item": item}
    place = {"item_id": "m1", "output_index": 0, "content_index": 0}
    part = {"type": "output_text", "text": "", "annotations": []}
    yield {"type": "response.content_part.added", "sequence_number": 2, **place, "part": part}
    for number, letter in enumerate(text):
        yield {"type": "response.output_text.delta", "sequence_number": number + 3, **place, "delta": letter, "logprobs": []}
    yield {"type": "response.completed", "sequence_number": len(text) + 3, "response": whole}


def completion(body: dict) -> dict:
    choices = [{"index": 0, "text": f" and {body['prompt']} again", "finish_reason": "stop", "logprobs": None}]
    return {"id": "c1", "object": "text_completion", "created": 1, "model": MODEL, "choices": choices, "usage": USAGE}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        models = [{"id": MODEL, "object": "model", "created": 1, "owned_by": "tests"}]
        self.answer({"object": "list", "data": models})

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        path = self.path.split("?")[0]
        if path.endswith("/chat/completions"):
            self.stream(chat_chunks(body), True) if body.get("stream") else self.answer(chat(body))
        elif path.endswith("/responses"):
            self.stream(response_events(body), False) if body.get("stream") else self.answer(response(body))
        elif path.endswith("/completions"):
            self.answer(completion(body))
        else:
            self.answer({"error": {"message": f"there is no {path}"}}, 404)

    def answer(self, value: dict, status: int = 200):
        data = json.dumps(value, ensure_ascii=False).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def stream(self, events, says_done: bool):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for event in events:
            name = "" if says_done else f"event: {event['type']}\n"
            self.piece(f"{name}data: {json.dumps(event)}\n\n")
        if says_done:
            self.piece("data: [DONE]\n\n")
        self.piece("")

    def piece(self, text: str):
        data = text.encode()
        self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")

    def log_message(self, *_):
        pass


def start() -> str:
    """Starts the server on a free port, and returns its address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_address[1]}"
