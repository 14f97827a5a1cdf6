"""Extras of the distribution: what is installed only on request, and the one sentence where it is missing.

A module of an extra is imported under `suppress(ModuleNotFoundError)`, so that its importer works without it; `require` is
called at its first use.
"""

from importlib.util import find_spec
from pathlib import Path
from typing import Final, Literal

from numalens.errors import SentenceError

Extra = Literal["cluster", "fleet", "mcp", "sql", "team"]

MODULES: Final[dict[Extra, tuple[str, ...]]] = {
    "cluster": ("dask", "distributed"),
    "fleet": ("duckdb",),
    "mcp": ("mcp",),
    "sql": ("wasmtime", "numalens_trace_processor"),
    "team": ("authlib", "httpx2", "joserfc", "obstore", "psycopg"),
}
"""Modules of each extra: all are there, or it is not installed."""
PACKAGES: Final[dict[Extra, str]] = {"fleet": "numalens.fleet", "mcp": "numalens.mcp", "sql": "numalens.perfetto"}
"""Packages of ours that only an extra needs."""

CHECKOUT: Final = Path(__file__).parents[2]
"""The folder of the repository, if this package is used from a clone."""


def is_checkout() -> bool:
    """Returns whether this package is used from a clone of the repository."""
    return (CHECKOUT / "scripts" / "setup.mjs").is_file()


def has(extra: Extra) -> bool:
    """Returns whether an extra is installed."""
    return all(find_spec(name) for name in (*MODULES[extra], PACKAGES.get(extra, "numalens")))


def needs(what: str, extra: Extra) -> str:
    """The message, without a full stop, that `what` needs an extra."""
    install = "npm run setup -- --all" if is_checkout() else f"pip install 'numalens[{extra}]'"
    return f"{what} needs the extra {extra}: {install}"


def require(what: str, extra: Extra) -> None:
    """Raises SentenceError (503) when the extra that `what` needs is not installed."""
    if not has(extra):
        raise SentenceError(503, f"{needs(what, extra)}.")
