"""The report and single sections, out of the engine's JSON, and the options that they take."""

import contextlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final, Literal

import numalens_native
from numalens_native import Bundle
from typing_extensions import TypedDict, TypeIs

from numalens.report.identity import Identity, identity_of

MAX_HZ: Final = 10_000
MAX_STEPS: Final = 8192
"""Steps that a window may have: more than a screen has columns of pixels."""
Rules = Literal["4.20", "5.7", "5.14", "5.17", "6.4"]
"""The kernel versions that changed how pressure is counted."""


@dataclass(frozen=True)
class ReportOptions:
    """Options of the replays; None leaves the choice to the recording, or to the engine."""

    degree: int | None = None
    """Degree of cling in percent (default: as recorded, or 20)."""
    psi_rules: Rules | None = None
    """Pressure by the rules of another kernel version."""
    hz: int | None = None
    """Jiffies per second."""
    step_ns: int | None = None
    """Step of the utilisation table."""


DEFAULTS: Final = ReportOptions()


def window_of(manifest: Mapping[str, Any], from_ns: int | None, to_ns: int | None) -> tuple[int, int]:
    """The window of the report: the one that all CPUs' buffers have in common, with the edges that are given."""
    first, last = manifest["window_ns"]
    return first if from_ns is None else from_ns, last if to_ns is None else to_ns


def fits(window: tuple[int, int], step_ns: int | None) -> bool:
    """Returns whether a window has no more than MAX_STEPS steps of this length."""
    return step_ns is None or window[1] - window[0] <= step_ns * MAX_STEPS


def build_report(
    engine: Bundle, from_ns: int | None = None, to_ns: int | None = None, options: ReportOptions = DEFAULTS
) -> dict[str, Any]:
    """The report of a bundle; `from_ns` and `to_ns` replace the edges of the common window."""
    report: dict[str, Any] = json.loads(engine.report(from_ns, to_ns, json.dumps(asdict(options))))
    return report


def ask(
    engine: Bundle, section: str, window: tuple[int, int], options: Mapping[str, str | int | None]
) -> dict[str, Any]:
    """A section's answer, with its window. The engine chooses options without a value."""
    given = {name: value for name, value in options.items() if value is not None}
    answer: dict[str, Any] = json.loads(engine.analysis(section, *window, json.dumps(given)))
    return answer


FINDINGS_FILE: Final = "findings.json"
IDENTITY_FILE: Final = "identity.json"


def answer_once(bundle: Path) -> None:
    """Computes every section of the bundle in this folder once; keeps the findings, as the API answers them, and the identity.

    These findings are shown first, and have the stamp of the module that made them. Another build may have other findings, so
    an earlier build's are not shown, and the engine computes them as for every other window.

    Raises DamagedError for a bundle that a section cannot answer from.
    """
    engine = Bundle(str(bundle))
    manifest = json.loads(engine.manifest())
    identity = identity_of(engine, manifest, json.loads(engine.report()))
    (bundle / IDENTITY_FILE).write_text(json.dumps(identity), encoding="utf-8")
    answer = engine.analysis("findings", *window_of(manifest, None, None), browser=True)
    (bundle / FINDINGS_FILE).write_text(json.dumps({"by": _stamp(), "answer": answer.decode()}), encoding="utf-8")
    for name in json.loads(numalens_native.schemas())["sections"]:
        # A section that needs an option, such as a task, answers only to requests that give one.
        with contextlib.suppress(numalens_native.OptionError):
            engine.analysis(name, *window_of(manifest, None, None))


def kept_identity(bundle: Path) -> Identity:
    """The identity of the bundle in this folder; of one without it nothing is known."""
    try:
        kept: Identity = json.loads((bundle / IDENTITY_FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {"host": None, "began_ns": None, "verdict": None}
    return kept


def kept_findings(bundle: Path) -> bytes | None:
    """The stored findings, or None when there are none or another build made them."""
    try:
        kept = json.loads((bundle / FINDINGS_FILE).read_text(encoding="utf-8"))
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


Label = Literal["observed", "replayed", "inferred", "what-if"]


class Unavailable(TypedDict):
    """A section without content."""

    available: Literal[False]
    reason: str


def missing(reason: str) -> Unavailable:
    """A section without content, and why."""
    return {"available": False, "reason": reason}


def is_missing(part: Mapping[str, object]) -> TypeIs[Unavailable]:
    """Returns whether a section, or a part of one, is without content."""
    return part.get("available") is False
