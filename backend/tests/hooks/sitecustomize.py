"""Python runs this file at its start when PYTHONPATH names this folder: it makes reading processes, and only those, misbehave.

NUMALENS_TEST_READING says how: `wait` for ever once the first step was told, `crash` by signal, `raise` something unexpected,
`exit` without a word, or use `memory` without end.
"""

import os
import signal
import sys
from collections.abc import Callable
from typing import Any

how = os.environ.get("NUMALENS_TEST_READING")
if how is not None and "numalens.jobs.worker" in sys.orig_argv:
    import numalens_native

    read = numalens_native.ingest

    def misbehave(stage: str, done: int, total: int) -> None:
        if how == "wait":
            signal.pause()
        elif how == "crash":
            os.kill(os.getpid(), signal.SIGSEGV)
        elif how == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        elif how == "raise":
            raise RuntimeError(f"unexpected at {stage} {done}/{total}")
        elif how == "exit":
            os._exit(0)
        elif how == "memory":
            kept = []
            while True:
                kept.append(bytearray(1 << 26))

    def ingest(
        inputs: list[tuple[str, str]],
        out_dir: str,
        *,
        progress: Callable[[str, int, int], None] | None = None,
        **options: Any,
    ) -> str:
        def step(stage: str, done: int, total: int) -> None:
            if progress is not None:
                progress(stage, done, total)
            misbehave(stage, done, total)

        return read(inputs, out_dir, progress=step, **options)

    numalens_native.ingest = ingest
