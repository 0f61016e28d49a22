"""An object store on this machine: prints its address once it has a bucket `suites`, and ends when its input does."""

import sys
import urllib.request

from moto.server import ThreadedMotoServer

server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
server.start()
host, port = server.get_host_and_port()
address = f"http://{host}:{port}"
urllib.request.urlopen(urllib.request.Request(f"{address}/suites", method="PUT")).close()
print(address, flush=True)
sys.stdin.read()
server.stop()
