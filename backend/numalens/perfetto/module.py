"""The trace processor's WebAssembly and page: where they are, and the compiled form in a cache folder.

Compiling takes seconds, loading the compiled form some ten milliseconds. The cache is only a shortcut: a file that is
missing, damaged or made by another version is made again, and without a folder to write to the module is compiled each time.
"""

from __future__ import annotations

import hashlib
import os
import platform
import tempfile
from contextlib import suppress
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from numalens.extras import has, needs
from numalens.folders import cache_folder
from numalens.perfetto.errors import MissingEngineError

with suppress(ModuleNotFoundError):  # the extra sql
    import wasmtime as wt

CONFIG_NAME: Final = "epoch-1"
"""Name of what `new_config` sets; a change there must change it, or compiled forms of before are tried in vain."""
NARROW: Final = "trace_processor.wasm"
WIDE: Final = "trace_processor_memory64.wasm"


def new_config() -> wt.Config:
    """Compilation options of the engine: 64-bit memories, and interruption from outside."""
    config = wt.Config()
    config.wasm_memory64 = True
    config.epoch_interruption = True
    return config


def wasm_path(*, wide: bool = False) -> Path:
    """The WebAssembly file; `wide` for the one with 64-bit memory. Raises MissingEngineError."""
    (folder,) = ui_folder().glob("v*")
    return folder / (WIDE if wide else NARROW)


def ui_folder() -> Path:
    """The folder of Perfetto's page: `index.html`, and a folder named by its version. Raises MissingEngineError."""
    spec = find_spec("numalens_trace_processor")
    if spec is None or spec.origin is None or not has("sql"):
        raise MissingEngineError(f"{needs('Perfetto (SQL, its page, and reading its traces)', 'sql')}.")
    return Path(spec.origin).parent / "files"


def load(*, wide: bool = False) -> tuple[wt.Engine, wt.Module]:
    """The compiled trace processor, from the cache where it is.

    With an engine of its own: an engine's epoch, by which calls are stopped, is one for all that belongs to it.
    """
    path = wasm_path(wide=wide)
    wasm = path.read_bytes()
    engine = wt.Engine(new_config())
    file = cache_folder() / _cache_name(wasm)
    with suppress(OSError, wt.WasmtimeError):
        if _is_ours(file):
            return engine, wt.Module.deserialize_file(engine, str(file))
    try:
        module = wt.Module(engine, wasm)
    except wt.WasmtimeError as error:
        reason = " ".join(str(error).split()).rstrip(".")
        raise MissingEngineError(f"Perfetto's trace processor cannot be compiled on this machine: {reason}.") from error
    with suppress(OSError):
        _write(file, module.serialize())
    return engine, module


def warm() -> None:
    """Makes the compiled form, so that the first trace need not wait for it."""
    load()


def _cache_name(wasm: bytes) -> str:
    made_of = (hashlib.sha256(wasm).hexdigest(), version("wasmtime"), CONFIG_NAME, platform.machine())
    return f"trace_processor-{hashlib.sha256(' '.join(made_of).encode()).hexdigest()[:32]}.cwasm"


def _is_ours(file: Path) -> bool:
    """Returns whether no other user can have written the file: a compiled form is code that runs in this process."""
    if not hasattr(os, "getuid"):
        return file.is_file()
    owners = {os.getuid(), 0}
    return all(there.st_uid in owners and not there.st_mode & 0o022 for there in (file.stat(), file.parent.stat()))


def _write(file: Path, compiled: bytes | bytearray) -> None:
    """Writes to a temporary name and renames it, so that no half file is ever read."""
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o755)
    with tempfile.NamedTemporaryFile(dir=file.parent, prefix=file.name, delete=False) as out:
        try:
            out.write(compiled)
            out.close()
            Path(out.name).replace(file)
        except BaseException:
            Path(out.name).unlink(missing_ok=True)
            raise


if __name__ == "__main__":
    warm()
