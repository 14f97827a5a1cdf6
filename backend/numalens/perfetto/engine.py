"""One trace processor: a WebAssembly instance that is given a trace in pieces and answers queries.

The module has no file system and no network: what it imports is a clock, memory growth and a place to write its log to.
Facts of the interface (exports, imports, the pointer that `trace_processor_rpc_init` gives) are Perfetto's
`src/trace_processor/rpc/wasm_bridge.cc` and emscripten's. One engine is for one thread and one trace. After any error but
a refused query it is dead. `close` gives its memory back; without it the instance would stay for good, since its callbacks
and its store hold each other.
"""

from __future__ import annotations

import ctypes
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, Final, cast

from typing_extensions import override

from numalens.perfetto import module, rpc
from numalens.perfetto.calls import InvalidAnswerError, TraceProcessor, last_line, limited, too_late
from numalens.perfetto.errors import EngineMemoryError, PerfettoError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

with suppress(ModuleNotFoundError):  # the extra sql
    import wasmtime as wt

REQUEST_BYTES: Final = 32 << 20
"""Size of the buffer through which requests go, and so the largest request at once."""
NARROW_BYTES: Final = 4 << 30
"""Most memory of the 32-bit module."""
PAGE: Final = 1 << 16
NOT_IMPLEMENTED: Final = 52
LOG_KEPT: Final = 4000
NO_DEADLINE: Final = 1 << 40


class Engine(TraceProcessor):
    """A trace processor with at most `memory_bytes` of memory, each of whose calls may take at most `seconds`."""

    def __init__(self, *, memory_bytes: int = NARROW_BYTES, seconds: float | None = None, wide: bool = False) -> None:
        """Starts an instance; `wide` takes the module with 64-bit memory. Raises PerfettoError."""
        self._engine, compiled = module.load(wide=wide)
        self._store = wt.Store(self._engine)
        self._width = 8 if wide else 4
        self._most = memory_bytes if wide else min(memory_bytes, NARROW_BYTES)
        self.seconds = seconds
        """Longest time of the calls that come; may be changed between them."""
        self._log = ""
        self._refused = False
        self._have_less = False
        self._frames = rpc.Frames()
        self._reply: Callable[[bytes], None] = _forget
        self._store.set_limits(memory_size=self._most)
        self._store.set_epoch_deadline(NO_DEADLINE)
        try:
            with self._running():
                self._start(compiled)
        except BaseException:
            self.close()
            raise

    @override
    def close(self) -> None:
        self._store.close()

    # What is below is the host's side of the module.

    def read(self, at: int, length: int) -> bytes:
        """Bytes of the instance's memory, within it."""
        self._check(at, length)
        return ctypes.string_at(self._base() + at, length)

    def write(self, at: int, data: bytes) -> None:
        """Puts bytes into the instance's memory, within it."""
        self._check(at, len(data))
        ctypes.memmove(self._base() + at, data, len(data))

    def _check(self, at: int, length: int) -> None:
        size = self._memory.data_len(self._store)
        if at < 0 or length < 0 or at + length > size:
            msg = f"a pointer to bytes {at} to {at + length} of a memory of {size} bytes"
            raise InvalidAnswerError(msg)

    def _base(self) -> int:
        # Asked each time: growing may move the memory.
        return ctypes.addressof(self._memory.data_ptr(self._store).contents)

    def _pointer(self, value: int) -> int:
        return value & ((1 << 8 * self._width) - 1)

    def _start(self, compiled: wt.Module) -> None:
        store = self._store
        linker = wt.Linker(self._engine)
        ours = self._host_functions()
        for wanted in compiled.imports:
            if isinstance(wanted.type, wt.FuncType):
                name = wanted.name or ""
                function = ours.get(name) or _missing(name, has_result=bool(wanted.type.results))
                linker.define_func(wanted.module, name, wanted.type, function)
        exports = linker.instantiate(store, compiled).exports(store)
        self._memory = cast("wt.Memory", exports["memory"])
        cast("wt.Func", exports["emscripten_stack_init"])(store)
        cast("wt.Func", exports["__wasm_call_ctors"])(store)
        pointer = wt.ValType.i64() if self._width == 8 else wt.ValType.i32()  # noqa: PLR2004  (bytes of a 64-bit pointer)
        answer = wt.Func(store, wt.FuncType([pointer, wt.ValType.i32()], []), self._on_answer)
        index = cast("wt.Table", exports["__indirect_function_table"]).grow(store, 1, answer)
        start = cast("wt.Func", exports["trace_processor_rpc_init"])
        self._buffer = self._pointer(start(store, index, REQUEST_BYTES))
        self._on_request = cast("wt.Func", exports["trace_processor_on_rpc_request"])

    def _on_answer(self, at: int, length: int) -> None:
        for message in self._frames.take(self.read(self._pointer(at), length & 0xFFFFFFFF)):
            self._reply(message)

    @override
    def _exchange(self, head: bytes, body: bytes, on_message: Callable[[bytes], None]) -> None:
        if len(head) + len(body) > REQUEST_BYTES:
            msg = f"a request of {len(head) + len(body)} bytes exceeds the limit of {REQUEST_BYTES}"
            raise ValueError(msg)
        self._reply = on_message
        self._refused = False
        try:
            with self._running():
                self.write(self._buffer, head)
                self.write(self._buffer + len(head), body)
                self._on_request(self._store, len(head) + len(body))
        finally:
            self._reply = _forget

    @override
    def _memory_error(self) -> EngineMemoryError | None:
        return self._too_large() if self._refused else None

    @contextmanager
    def _running(self) -> Iterator[None]:
        """Applies the time limit to each call of the module, and turns its failures into messages."""
        if self.seconds is not None:
            self._store.set_epoch_deadline(1)
        with limited(self.seconds, self._engine.increment_epoch) as late:
            try:
                yield
            except (wt.Trap, wt.WasmtimeError, InvalidAnswerError, rpc.BrokenMessageError) as error:
                raise self._failure(error, late=late.is_set()) from error

    def _failure(self, error: Exception, *, late: bool) -> PerfettoError:
        if late and isinstance(error, (wt.Trap, wt.WasmtimeError)):
            return too_late(self.seconds)
        if self._refused or "Out of memory" in self._log:
            return self._too_large()
        return PerfettoError(f"The trace processor failed on this trace: {last_line(self._log or str(error))}.")

    def _too_large(self) -> EngineMemoryError:
        if self._have_less:
            return EngineMemoryError("The trace processor needed more memory than this process may use.")
        return EngineMemoryError(f"The trace processor needed more memory than the {self._most:,} bytes it may take.")

    def _host_functions(self) -> dict[str, Callable[..., Any]]:
        begin = time.monotonic()
        return {
            "fd_write": self._fd_write,
            "clock_time_get": self._clock_time_get,
            "emscripten_get_now": lambda: (time.monotonic() - begin) * 1e3,
            "emscripten_date_now": lambda: time.time() * 1e3,
            "emscripten_get_heap_max": lambda: self._most,
            "emscripten_resize_heap": self._grow,
            "environ_sizes_get": self._no_environment,
            "environ_get": lambda *_: 0,
            "_tzset_js": lambda *_: None,
            "emscripten_err": lambda *_: None,
            "_abort_js": self._abort,
            "__assert_fail": self._abort,
        }

    def _abort(self, *_: int) -> None:
        raise InvalidAnswerError(last_line(self._log) or "it aborted")

    def _fd_write(self, _fd: int, vectors: int, count: int, written: int) -> int:
        """Writing is possible to the log alone, whichever file is named."""
        total = 0
        for index in range(count):
            entry = self.read(self._pointer(vectors) + 2 * index * self._width, 2 * self._width)
            at = int.from_bytes(entry[: self._width], "little")
            length = int.from_bytes(entry[self._width :], "little")
            text = self.read(at, length)[-LOG_KEPT:].decode(errors="replace")
            self._log = (self._log + text)[-LOG_KEPT:]
            total += length
        self.write(self._pointer(written), total.to_bytes(self._width, "little"))
        return 0

    def _clock_time_get(self, clock: int, _precision: int, out: int) -> int:
        now = time.time_ns() if clock == 0 else time.monotonic_ns()
        self.write(self._pointer(out), now.to_bytes(8, "little"))
        return 0

    def _no_environment(self, count: int, size: int) -> int:
        for at in (count, size):
            self.write(self._pointer(at), bytes(self._width))
        return 0

    def _grow(self, wanted: int) -> int:
        """Grows the memory to `wanted` bytes and, where it may, a fifth more, so that this does not happen often."""
        wanted = self._pointer(wanted)
        have = self._memory.data_len(self._store)
        for size in (max(wanted, min(have + have // 5, self._most)), wanted):
            if size > self._most:
                break
            try:
                self._memory.grow(self._store, (size - have + PAGE - 1) // PAGE)
            except wt.WasmtimeError:
                continue
            return 1
        self._refused = True
        self._have_less = wanted <= self._most
        return 0


def _missing(name: str, *, has_result: bool) -> Callable[..., int | None]:
    """An import that this host does not have: the module gets the answer that the system does not know the call."""
    result = -NOT_IMPLEMENTED if name.startswith(("__sys", "_m")) else NOT_IMPLEMENTED
    return lambda *_: result if has_result else None


def _forget(_: bytes) -> None:
    """Discards an answer."""
