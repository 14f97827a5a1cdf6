"""Findings of a whole recording, computed once when it has been read: they are what everybody sees first.

They lie in the bundle's folder with the stamp of the module that made them. Another build may find something else, so what
an earlier one found is not shown, and the engine is asked as it is for every other window.
"""

import json
from pathlib import Path
from typing import Final

import numalens_native
from numalens_native import Bundle

from numalens.report.build import window_of

FILE: Final = "findings.json"


def keep_findings(bundle: Path) -> None:
    """Computes the findings of the bundle in this folder and keeps them there, as the API answers them."""
    engine = Bundle(str(bundle))
    answer = engine.analysis("findings", *window_of(json.loads(engine.manifest()), None, None), browser=True)
    (bundle / FILE).write_text(json.dumps({"by": _stamp(), "answer": answer.decode()}), encoding="utf-8")


def kept_findings(bundle: Path) -> bytes | None:
    """What was kept there, or None when nothing was or when another build made it."""
    try:
        kept = json.loads((bundle / FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    if not isinstance(kept, dict) or kept.get("by") != _stamp() or not isinstance(kept.get("answer"), str):
        return None
    return str(kept["answer"]).encode()


def _stamp() -> str:
    """Differs between builds of the compiled module, also while its version stays."""
    files = sorted(Path(numalens_native.__file__).parent.glob("*.so"))
    parts = [f"{file.stat().st_size}.{file.stat().st_mtime_ns}" for file in files]
    return "/".join((numalens_native.__version__, *parts))
