"""An OpenAI-compatible server: it lists one model, and answers chat completions, whole or as a stream."""
import hashlib
import json
import re
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

MOST_BYTES = 64 * 1024 * 1024
MOST_CACHED = 64
PICTURE_TOKENS = 1800


class Answers:
    """Computes answers with `think`, and keeps the newest by the bytes of their requests."""

    def __init__(self, think):
        self.think = think
        self.cache = {}
        self.lock = threading.Lock()

    def of(self, body):
        key = hashlib.sha256(body).hexdigest()
        with self.lock:  # One answer at a time, so that a second request does not slow down the first.
            if key not in self.cache:
                while len(self.cache) >= MOST_CACHED:
                    del self.cache[next(iter(self.cache))]
                self.cache[key] = self.think(json.loads(body))
            return key, self.cache[key]


def tool_calls(key, calls):
    """The calls as the protocol writes them."""
    return [{"id": f"call_{key[:8]}_{i}", "type": "function",
             "function": {"name": name, "arguments": json.dumps(arguments, ensure_ascii=False)}}
            for i, (name, arguments) in enumerate(calls)]


def usage(body, words):
    """A rough count: four bytes of text are a token; a picture of the usual size costs as much as with large models."""
    text = re.sub(rb'"data:image/[^"]*"', b"", body)
    read, written = len(text) // 4 + PICTURE_TOKENS * body.count(b'"data:image/'), len(words) // 4 + 1
    return {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written}


def handler(name, answers):
    """Makes the class that serves the model `name`."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def send(self, status, value):
            data = json.dumps(value, ensure_ascii=False).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def stream(self, head, words, calls, finish, used):
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.send_header("Connection", "close")
            self.end_headers()
            self.close_connection = True
            deltas = [{"role": "assistant", "content": words}]
            deltas += [{"tool_calls": [{"index": i, **call}]} for i, call in enumerate(calls)]
            for delta in deltas:
                self.event({**head, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]})
            last = {"index": 0, "delta": {}, "finish_reason": finish}
            self.event({**head, "choices": [last], "usage": used})
            self.wfile.write(b"data: [DONE]\n\n")

        def event(self, value):
            self.wfile.write(b"data: " + json.dumps(value, ensure_ascii=False).encode() + b"\n\n")

        def do_GET(self):
            if self.path.split("?")[0].rstrip("/") != "/v1/models":
                return self.send(404, {"error": {"message": "there is nothing here"}})
            self.send(200, {"object": "list", "data": [{"id": name, "object": "model", "owned_by": "tests"}]})

        def do_POST(self):
            size = int(self.headers.get("Content-Length", 0))
            if self.path.split("?")[0] != "/v1/chat/completions" or size > MOST_BYTES:
                self.close_connection = True
                return self.send(404, {"error": {"message": "there is nothing here"}})
            body = self.rfile.read(size)
            try:
                request = json.loads(body)
                key, (words, calls) = answers.of(body)
            except Exception as wrong:  # Whatever is wrong with a request must not end the server.
                return self.send(400, {"error": {"message": f"the request cannot be read: {wrong!r}"}})
            calls = tool_calls(key, calls)
            finish = "tool_calls" if calls else "stop"
            head = {"id": f"chatcmpl-{key[:12]}", "created": int(time.time()), "model": name}
            used = usage(body, words + json.dumps(calls))
            if request.get("stream"):
                return self.stream({**head, "object": "chat.completion.chunk"}, words, calls, finish, used)
            message = {"role": "assistant", "content": words, **({"tool_calls": calls} if calls else {})}
            choice = {"index": 0, "message": message, "finish_reason": finish}
            self.send(200, {**head, "object": "chat.completion", "choices": [choice], "usage": used})

        def log_message(self, *words):
            pass

    return Handler


def serve(name, think, port):
    """Serves the model on this machine until the process ends."""
    server = ThreadingHTTPServer(("127.0.0.1", port), handler(name, Answers(think)))
    print(f"listening at http://127.0.0.1:{server.server_port}", flush=True)
    server.serve_forever()
