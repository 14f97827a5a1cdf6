"""The import process: takes one order on standard input, decodes, reports its progress, and ends.

Kept free of the web and database libraries, so that it starts fast and a hostile recording meets as little as possible.
"""

import errno
import os
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Final, Literal, TextIO, cast

from numalens.errors import is_out_of_space, system_error_number
from numalens.folders import cache_folder
from numalens.jobs.protocol import Done, Failure, Order, Step, encode
from numalens.sandbox.confine import ConfinementError, confine
from numalens.sandbox.limits import apply_limits, end_with_parent

STEP_INTERVAL_S: Final = 0.1
DISK_FULL: Final = "The disk of the importing machine is full; import the files again when it has free space."


class Reporter:
    """Writes messages for the server, steps of one stage at most every tenth of a second."""

    def __init__(self, out: TextIO) -> None:
        """Writes to `out`."""
        self._out = out
        self._stage = ""
        self._last = 0.0

    def step(self, stage: str, done: int, total: int) -> None:
        """Reports how far `stage` is."""
        now = time.monotonic()
        if stage != self._stage or done == total or now - self._last >= STEP_INTERVAL_S:
            self._stage, self._last = stage, now
            self.send(Step(stage, done, total))

    def send(self, message: Step | Failure | Done) -> None:
        """Writes one message at once."""
        print(encode(message), file=self._out, flush=True)


def read(order: Order, reporter: Reporter) -> Done | Failure:
    """Decodes as ordered; a refused input is a result, not an exception."""
    # After the limits are set: what these take counts too.
    import numalens_native as native  # noqa: PLC0415

    from numalens.jobs.failures import plain_sentence  # noqa: PLC0415
    from numalens.jobs.reading import UnknownInputError, read_inputs  # noqa: PLC0415
    from numalens.report import answer_once  # noqa: PLC0415

    try:
        read_inputs(
            order.inputs,
            Path(order.out),
            Path(order.scratch),
            progress=reporter.step,
            max_events=order.max_events,
            max_bytes=order.max_bytes,
            tolerant=order.tolerant,
            offsets=order.offsets,
            cut=order.cut,
        )
        _answer(answer_once, Path(order.out))
    except UnknownInputError as error:
        return Failure(str(error))
    except native.InputError as error:
        unit = cast("Literal['byte', 'line']", error.unit) if error.unit in {"byte", "line"} else None
        path = next((Path(path) for name, path in order.inputs if name == error.name), None)
        at = error.offset if unit == "byte" else None
        sentence = plain_sentence(str(error), error.name or "The input", path, (at, error.expected))
        return Failure(sentence, error.name, error.offset, unit, error.expected)
    except native.DamagedError as error:
        return Failure(f"These files were read, but cannot be analyzed: {str(error).rstrip('.')}.")
    except MemoryError:
        return Failure(memory_sentence(order.memory_bytes))
    except (OSError, RuntimeError, ValueError) as error:
        failure = _failure_of(error, order)
        if failure is None:
            raise
        return failure
    return Done()


def confine_to(order: Order) -> None:
    """Leaves this process the inputs and the two folders of its order. Raises ConfinementError and OSError."""
    folders = [order.out, order.scratch]
    for folder in folders:
        # A rule is about a folder that is there; its parent, in which others' lie, is not to be written to.
        Path(folder).mkdir(parents=True, exist_ok=True)
    inputs = [path for _, path in order.inputs]
    confine(order.confine, read=[*inputs, str(cache_folder())], write=folders)


def _failure_of(error: Exception, order: Order) -> Failure | None:
    """The failure that an error of the system means; None for a defect of ours."""
    if is_out_of_space(error):
        return Failure(DISK_FULL, again=True)
    if system_error_number(error) == errno.EFBIG:
        return Failure(
            f"The import needs a file larger than the {order.file_bytes:,} bytes that this server allows"
            " (NUMALENS_JOB_FILE_BYTES)."
        )
    return None


def _answer(answer: Callable[[Path], None], out: Path) -> None:
    """Computes all sections once. Raises DamagedError.

    After any other failure, findings are computed on request.
    """
    from numalens_native import DamagedError  # noqa: PLC0415

    try:
        answer(out)
    except DamagedError:
        raise
    except (MemoryError, OSError, RuntimeError, ValueError):
        traceback.print_exc()


def memory_sentence(limit: int) -> str:
    """The sentence for a job that met its memory limit, `limit` in bytes."""
    return (
        f"The import needed more memory than the {limit:,} bytes that this server allows (NUMALENS_JOB_MEMORY_BYTES)."
    )


def main() -> int:
    """Runs one order. Exit status 0 when its result was sent, 1 when something unexpected happened (on stderr)."""
    # Whatever a library prints must not mix with the messages: they get a private copy of standard output.
    with os.fdopen(os.dup(1), "w") as messages:
        os.dup2(2, 1)
        # Unbuffered: bytes read ahead here would be missing where the end of the input is watched for.
        order = Order.parse(_first_line())
        reporter = Reporter(messages)
        try:
            # Before there is another thread, which would stay free.
            confine_to(order)
        except ConfinementError as error:
            reporter.send(Failure(str(error)))
            return 0
        except OSError as error:
            if not is_out_of_space(error):
                raise
            reporter.send(Failure(DISK_FULL, again=True))
            return 0
        end_with_parent()
        apply_limits(memory_bytes=order.memory_bytes, file_bytes=order.file_bytes)
        try:
            result = read(order, reporter)
        except Exception:  # noqa: BLE001  (for the server's log; the server says a neutral sentence)
            traceback.print_exc()
            return 1
        reporter.send(result)
    return 0


def _first_line() -> bytes:
    line = bytearray()
    while not line.endswith(b"\n"):
        chunk = os.read(0, 1 << 16)
        if not chunk:
            break
        line += chunk
    return bytes(line)


if __name__ == "__main__":
    sys.exit(main())
