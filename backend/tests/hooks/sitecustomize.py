"""Python runs this file at its start when PYTHONPATH names this folder: it makes reading processes misbehave (and those that answer
queries over the fleet, which can `reach`), or gives engines other traces than an export would (an entry `traces=given`); or an
application that looks for what came back more often (NUMALENS_TEST_IMPATIENT).

An entry `reading=HOW` of PYTHONPATH, which alone is handed on to such processes, says how: `wait` for ever once the first step
was told, `crash` by signal, `raise` something unexpected, `exit` without a word, use `memory` without end, or `reach` for what
is none of their business, and exit when they get it.
"""

import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

chosen = dict(part.split("=", 1) for part in os.environ["PYTHONPATH"].split(os.pathsep) if "=" in part)
how = chosen.get("reading")


def reach() -> None:
    with suppress(PermissionError):
        Path("/etc/passwd").read_bytes()
        os._exit(0)


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
        elif how == "reach":
            reach()
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


if "traces" in chosen and "numalens.perfetto.sql.worker" in sys.orig_argv:
    import numalens_native

    bundle = numalens_native.Bundle

    class File:
        """In the place of a bundle: a file that stands for its export."""

        def __init__(self, path: str) -> None:
            self._content = Path(path).read_bytes()

        def export_trace(self, out: Callable[[bytes], None], _from_ns: int | None, _to_ns: int | None) -> int:
            out(self._content)
            return 1

    def open_bundle(path: str) -> object:
        return File(path) if Path(path).is_file() else bundle(path)

    vars(numalens_native)["Bundle"] = open_bundle


if how == "reach" and "numalens.fleet.query_process" in sys.orig_argv:
    from numalens.sandbox import confine as confining

    confine_there = confining.confine

    def confine_and_reach(*arguments: Any, **options: Any) -> Any:
        layers = confine_there(*arguments, **options)
        reach()
        return layers

    vars(confining)["confine"] = confine_and_reach


if how == "reach" and "numalens.perfetto.sql.worker" in sys.orig_argv:
    import numalens_native

    there = numalens_native.Bundle

    def reach_and_open(path: str) -> object:
        reach()
        return there(path)

    vars(numalens_native)["Bundle"] = reach_and_open


if os.environ.get("NUMALENS_TEST_IMPATIENT") and "serve" in sys.orig_argv:
    from numalens.api import services
    from numalens.jobs import runner

    vars(services)["SWEEP_AGAIN_S"] = 0.5
    vars(runner)["LONGEST_PAUSE_S"] = 2.0
