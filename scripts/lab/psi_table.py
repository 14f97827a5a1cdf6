"""`scripts/lab psi`: replayed pressure and what the kernel counted, one line a recording."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numalens_native
from numalens.cli.inputs import OpenedBundle, RecordingFiles, read_recording, recordings
from numalens.report import ask

from frame import REJECTED, counted, padded, show

WITHIN: Final = "within"
BEYOND: Final = "beyond"
NOT_COMPARABLE: Final = "not comparable"
VERDICTS: Final = (WITHIN, BEYOND, NOT_COMPARABLE, REJECTED)
CPU: Final = "cpu"
RESOURCES: Final = (CPU, "memory", "io")
NEEDED: Final = ("sched_switch", "sched_wakeup")
"""Without these nobody knows who was runnable."""
MOST_UNWOKEN: Final = 0.1
"""Share of switches to tasks whose wake-ups are missing, from which on a difference says nothing about the replay."""
AVERAGES_ALLOWED: Final = 0.01
"""Percentage points: the step in which the kernel prints averages."""
RELEASE: Final = re.compile(r"\b\d+\.\d+(\.\d+)?")


WIDTHS: Final = {
    "kernel": 9,
    "seconds": 9,
    "sampled ms": 12,
    "replayed ms": 12,
    "error %": 8,
    "allowed": 7,
    "averages": 8,
    "verdict": 14,
}
LEFT: Final = frozenset({"kernel", "verdict"})
WHAT_WIDTH: Final = 16


@dataclass(frozen=True)
class Wanted:
    """What is compared, and how."""

    warm_up_ns: int
    all_resources: bool = False
    hz: int | None = None


@dataclass
class Row:
    """One counter of a recording."""

    recording: str
    what: str = CPU
    """The resource, and the cgroup's path unless it is the machine's."""
    kernel: str | None = None
    hz: int | None = None
    rules: str | None = None
    from_ns: int | None = None
    """First sample."""
    to_ns: int | None = None
    """Last sample."""
    samples: int | None = None
    sampled_us: int | None = None
    replayed_us: int | None = None
    error_percent: float | None = None
    tolerance_percent: float | None = None
    pressure_percent: float | None = None
    averages_worst: float | None = None
    """Largest difference of an average that was predicted from the sampled totals, percentage points; only for cpu."""
    verdict: str = NOT_COMPARABLE
    reason: str | None = None

    def cells(self) -> dict[str, str]:
        """What the table shows."""
        span = None if self.from_ns is None or self.to_ns is None else (self.to_ns - self.from_ns) / 1e9
        return {
            "kernel": self.kernel or "-",
            "seconds": _number(span, ".3f"),
            "sampled ms": _number(self.sampled_us, ",.1f", 1000),
            "replayed ms": _number(self.replayed_us, ",.1f", 1000),
            "error %": _number(self.error_percent, "+.2f"),
            "allowed": _number(self.tolerance_percent, "g"),
            "averages": _number(self.averages_worst, ".3f"),
            "verdict": self.verdict,
            "what": self.what,
            "recording": self.recording,
        }


def run(paths: list[Path], wanted: Wanted, json_file: str | None) -> set[str]:
    """Prints the table, writes the JSON if wanted, and gives all verdicts."""
    heads = {name: name for name in (*WIDTHS, "what", "recording")}
    found = (row for files in recordings(paths) for row in compared(files, wanted))
    rows = show(found, lambda row: _lines(row, wanted), json_file, _line(heads, wanted), _sums)
    return {row.verdict for row in rows}


def _line(cells: Mapping[str, str], wanted: Wanted) -> str:
    what = [cells["what"].ljust(WHAT_WIDTH)] if wanted.all_resources else []
    return "  ".join([padded(cells, WIDTHS, LEFT), *what, cells["recording"]])


def _lines(row: Row, wanted: Wanted) -> Iterator[str]:
    yield _line(row.cells(), wanted)
    if row.reason is not None:
        yield f"    {row.reason}"


def _sums(rows: Sequence[Row]) -> str:
    recorded = f"{len({row.recording for row in rows}):,} recordings"
    return ", ".join([recorded, *counted([row.verdict for row in rows], {name: name for name in VERDICTS})])


def compared(files: RecordingFiles, wanted: Wanted) -> list[Row]:
    """The rows of a recording, read with its companion files; always one at least."""
    name = str(files.recording)
    try:
        with read_recording(files, hz=wanted.hz) as opened:
            return list(_rows(name, opened, wanted))
    except numalens_native.InputError as error:
        return [Row(name, verdict=REJECTED, reason=str(error))]


def _rows(name: str, bundle: OpenedBundle, wanted: Wanted) -> Iterator[Row]:
    manifest = bundle.manifest
    kernel = _release(manifest)
    first, last = manifest["window_ns"]
    first += wanted.warm_up_ns
    reason = _incomparable(manifest, first, last)
    if reason is not None:
        yield Row(name, kernel=kernel, reason=reason)
        return
    section = ask(bundle.engine, "psi", (first, last), {"hz": wanted.hz})
    if section.get("available") is False:
        yield Row(name, kernel=kernel, reason=section["reason"])
        return
    for what, resource, totals, residuals in _counters(section, wanted.all_resources):
        row = Row(name, what, kernel, section["hz"], section["rules"])
        _compare(row, totals[resource], (residuals or {}).get(resource))
        if what == CPU and section["averages"] is not None:
            row.averages_worst = section["averages"]["worst"]
            if section["averages"]["worst"] > AVERAGES_ALLOWED:
                row.verdict, row.reason = BEYOND, "the kernel printed other averages than follow from its totals"
        if row.verdict == BEYOND and (holes := _holes(manifest)) is not None:
            row.verdict, row.reason = NOT_COMPARABLE, holes
        yield row


def _incomparable(manifest: Mapping[str, Any], first: int, last: int) -> str | None:
    """Why a replay says nothing; None when it does."""
    evidence = manifest["evidence"]
    lacking = [event for event in NEEDED if evidence is None or event in evidence["run_state"]["missing"]]
    if lacking:
        return f"it has no {' and no '.join(lacking)} events"
    if first >= last:
        return "it is over before the warm-up is"
    return None


def _holes(manifest: Mapping[str, Any]) -> str | None:
    """What is missing in the recording that a difference may come from; None when little is."""
    replay = manifest.get("replay") or {}
    unwoken, switches = replay.get("missed_wakeups", 0), replay.get("switches", 0)
    if unwoken <= MOST_UNWOKEN * switches:
        return None
    return f"{unwoken:,} of its {switches:,} switches brought tasks whose wake-ups are not in the recording"


def _counters(
    section: Mapping[str, Any], everything: bool
) -> Iterator[tuple[str, str, Mapping[str, Any], Mapping[str, Any] | None]]:
    """What a counter is called, its resource, and where its totals and residuals are."""
    resources = RESOURCES if everything else (CPU,)
    yield from ((resource, resource, section["system"], section["residual"]) for resource in resources)
    if everything:
        residuals = section.get("cgroup_residual") or {}
        for path in sorted(residuals):
            for resource in RESOURCES:
                yield f"{resource} {path}", resource, section["cgroups"][path], residuals[path]


def _compare(row: Row, total: Mapping[str, Any], residual: Mapping[str, Any] | None) -> None:
    if total.get("available") is False:
        row.reason = total["reason"]
        return
    if residual is None:
        row.reason = "there are not two samples of it in the window"
        return
    row.from_ns, row.to_ns, row.samples = residual["from_ns"], residual["to_ns"], residual["samples"]
    row.sampled_us, row.replayed_us = residual["sampled_some_us"], residual["replayed_some_us"]
    row.error_percent, row.tolerance_percent = residual["error_percent"], residual["tolerance_percent"]
    row.pressure_percent = residual["pressure_percent"]
    row.verdict = WITHIN if residual["within"] else BEYOND


def _release(manifest: Mapping[str, Any]) -> str | None:
    """The kernel's release without the distribution's part."""
    for entry in manifest["inputs"]:
        found = RELEASE.search(entry.get("kernel") or "")
        if found is not None:
            return found[0]
    kernel = (manifest["evidence"] or {}).get("kernel")
    return None if kernel is None else f"{kernel['major']}.{kernel['minor']}"


def _number(value: float | None, form: str, per: int = 1) -> str:
    return "-" if value is None else format(value / per, form)
