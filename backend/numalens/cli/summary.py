"""What `numalens analyze` prints for people."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from numalens.cli.replay_summary import replay_lines

TOP_EVENTS: Final = 12
SKIPPED_SHOWN: Final = 5
METHODS: Final = {
    "same-clock": "by the same clock",
    "markers": "by markers in the trace",
    "clock-pairs": "by recorded pairs of clocks",
    "user": "as given",
}
SOURCES: Final = {
    "sidecar": "from a side file",
    "perf": "from the perf header",
    "events": "learnt from events",
    "assumed": "assumed",
}


def summary(report: Mapping[str, Any], kept: str | None) -> str:
    """A page of plain text about the report; `kept` is the folder of the kept bundle, if any."""
    first, last = report["window_ns"]
    lines = ["inputs"]
    for entry in report["inputs"]:
        lines += _input_lines(entry)
    lines += ["", f"window    {first} .. {last} ns ({(last - first) / 1e9:.6f} s)"]
    source = report["topology"]["source"]
    lines += [f"topology  {SOURCES.get(source, source)}"]
    lines += [f"  node {node['nid']}: CPUs {cpu_ranges(node['cpus'])}" for node in report["topology"]["nodes"]]
    counts = sorted(report["event_counts"].items(), key=lambda item: (-item[1], item[0]))
    lines += ["", f"events    {sum(count for _, count in counts):,} of {len(counts)} types"]
    lines += [f"  {count:>14,}  {name}" for name, count in counts[:TOP_EVENTS]]
    if len(counts) > TOP_EVENTS:
        rest = sum(count for _, count in counts[TOP_EVENTS:])
        lines += [f"  {rest:>14,}  in {len(counts) - TOP_EVENTS} further types"]
    lines += replay_lines(report)
    if report["notes"]:
        lines += ["", "notes", *(f"  {note}" for note in report["notes"])]
    if kept is not None:
        lines += ["", f"bundle    {kept}"]
    return "\n".join(lines) + "\n"


def cpu_ranges(cpus: Iterable[int]) -> str:
    """`[0, 1, 2, 5]` as `0-2,5`; `none` when empty."""
    runs: list[list[int]] = []
    for cpu in sorted(cpus):
        if runs and runs[-1][1] == cpu - 1:
            runs[-1][1] = cpu
        else:
            runs.append([cpu, cpu])
    return ",".join(f"{first}" if first == last else f"{first}-{last}" for first, last in runs) or "none"


def _input_lines(entry: dict[str, Any]) -> list[str]:
    lines = [f"  {entry['name']}: {entry['kind']}, {entry['bytes']:,} bytes"]
    if entry.get("events") is not None:
        facts = [f"{entry['events']:,} events"]
        if entry.get("cpus") is not None:
            facts.append(f"{entry['cpus']} CPUs")
        if entry.get("clock"):
            facts.append(f"clock {entry['clock']}")
        lines.append(f"    {', '.join(facts)}")
        lines.append(f"    lost: {_lost(entry)}")
    if entry.get("samples") is not None:
        tables = ", ".join(f"{table} {rows:,}" for table, rows in (entry.get("tables") or {}).items())
        lines.append(
            f"    {entry['samples']:,} samples, {entry.get('rows') or 0:,} rows{f': {tables}' if tables else ''}"
        )
    if entry.get("alignment") is not None:
        lines.append(f"    time: {_alignment(entry['alignment'])}")
    lines += _skipped_lines(entry)
    if entry.get("kernel"):
        lines.append(f"    kernel {entry['kernel']}")
    return lines


def _alignment(alignment: dict[str, Any]) -> str:
    if alignment["method"] == "reference":
        return "the reference" + (f", clock {alignment['clock']}" if alignment["clock"] else "")
    if alignment["offset_ns"] is None:
        return f"not known on the reference clock; {alignment['evidence']} (--offset NAME=NS sets it)"
    uncertainty = "" if alignment["uncertainty_ns"] is None else f" ± {alignment['uncertainty_ns']:,}"
    method = METHODS.get(alignment["method"], alignment["method"])
    return f"{alignment['offset_ns']:+,}{uncertainty} ns {method} ({alignment['label']}); {alignment['evidence']}"


def _skipped_lines(entry: dict[str, Any]) -> list[str]:
    skipped = entry.get("skipped") or []
    count = len(skipped) + (entry.get("skipped_more") or 0)
    if not count:
        return []
    lines = [f"    left out: {count:,} damaged {'part' if count == 1 else 'parts'}"]
    for part in skipped[:SKIPPED_SHOWN]:
        cpu = "" if part["cpu"] is None else f" of CPU {part['cpu']}"
        lines.append(f"      {part['unit']}s {part['from']:,} to {part['to']:,}{cpu}: {part['why']}")
    if count > SKIPPED_SHOWN:
        lines.append(f"      and {count - SKIPPED_SHOWN:,} more")
    return lines


def _lost(entry: dict[str, Any]) -> str:
    marks, unknown = entry.get("lost_marks") or 0, entry.get("lost_unknown_marks") or 0
    if not marks:
        return "none"
    text = f"{entry.get('lost_events') or 0:,} events in {marks:,} places"
    return text + (f", and an unknown number in {unknown:,} of them" if unknown else "")
