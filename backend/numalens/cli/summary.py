"""Output of `numalens analyze`: first the findings, then the recording."""

import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, Literal, get_args

from numalens_native import Bundle

from numalens.report import ask
from numalens.report.build import is_missing
from numalens.text import length

Part = Mapping[str, Any]
WIDTH: Final = 100
MARGIN: Final = 10
"""Column of a part's text, after its name."""
STYLES: Final = (
    (r"\A(.+\n)*", "bold"),
    (r"(?m)^[a-z][a-z ]{0,9}(?=  |\n)|^longest waits.*", "bold cyan"),
    (r"(?m)^  high(?= .* ms  [A-Z_]+:)", "bold red"),
    (r"(?m)^  medium(?= .* ms  [A-Z_]+:)", "yellow"),
    (r"(?m)^  low(?= .* ms  [A-Z_]+:)", "dim"),
    (r"(?m)(?<= ms  )[A-Z_]+(?=:)", "bold"),
)
"""Styles of a summary's parts on a terminal."""
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
    "events": "inferred from events",
    "assumed": "assumed",
}


def verdicts(engine: Bundle, report: Part) -> list[str]:
    """The longest waits of a report, each with the sentence that the section `wait` has for it."""
    latency = report["latency"]
    if is_missing(latency):
        return []
    found = [*latency["worst"], *(wait for name, _ in WAITS for wait in latency[name]["worst"])]
    longest = sorted(found, key=lambda wait: -wait["wait_ns"])[:WORST_SHOWN]
    return [_verdict(engine, wait) for wait in longest]


def _verdict(engine: Bundle, wait: Part) -> str:
    window = (wait["waking_ns"], wait["switch_in_ns"])
    story = ask(engine, "wait", window, {"pid": wait["pid"], "cpu": wait["cpu"]})
    return f"{wait['waking_ns'] / 1e9:>10.3f} s  {_wait(wait) if is_missing(story) else story['verdict']}"


def summary(report: Part, waits: Sequence[str] = (), kept: str | None = None, width: int = WIDTH) -> str:
    """A page of plain text about the report: what happened first, then what was replayed, and from what.

    `waits` are its `verdicts`; `kept` is the folder of the kept bundle, if any. No line has more than `width` columns but
    for words that are wider themselves, such as a path.
    """
    first, last = report["window_ns"]
    headline = report["headline"]
    lines = [
        *([] if is_missing(headline) else [headline["summary"], ""]),
        *_section("findings", *_findings(report))[1:],
    ]
    if waits:
        lines += ["", "longest waits, by start time (trace clock)", *waits]
    lines += [*replay_lines(report), "", "inputs"]
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
    if report["notes"]:
        lines += ["", "notes", *(f"  {note}" for note in report["notes"])]
    text = "".join(f"{part}\n" for line in lines for part in wrapped(line, width))
    return text if kept is None else f"{text}\nbundle    {kept}\n"


def wrapped(line: str, width: int) -> list[str]:
    """The line, wrapped with an indent."""
    margin = len(line) - len(line.lstrip())
    indent = " " * (margin + 4 if margin else MARGIN if "  " in line else 0)
    return textwrap.wrap(line, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False) or [""]


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
        return f"no offset to the reference clock; {alignment['evidence']} (--offset NAME=NS sets it)"
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


Resource = Literal["cpu", "memory", "io", "irq"]
RESOURCES: Final[tuple[Resource, ...]] = get_args(Resource)
WORST_SHOWN: Final = 3
CAUSES_SHOWN: Final = 2
FINDINGS_SHOWN: Final = 5
WAITS: Final = (
    ("preempted", "after a preemption"),
    ("new", "of new tasks"),
    ("unfinished", "without a known end"),
)


def replay_lines(report: Part) -> list[str]:
    """All replay results, each part after an empty line; a single line without results."""
    return [
        *_section("pressure", *_pressure(report["psi"])),
        *_section("latency", *_latency(report)),
        *_section("waste", *_waste(report)),
        *_section("usage", *_usage(report)),
        *_section("numa", *_numa(report)),
        *_section("idle lb", *_ilb(report)),
    ]


def _section(name: str, head: str, *rest: str) -> list[str]:
    return ["", f"{name:<{MARGIN}}{head}", *(f"  {line}" for line in rest)]


def _pressure(section: Part) -> Iterator[str]:
    system = section["system"]
    if is_missing(system):
        yield f"not known: {system['reason']}"
        yield from (f"{name:<8}some {_ms(each['some_us'])} sampled" for name, each in _sampled(section))
        return
    yield f"by the rules of Linux {section['rules']}, {section['hz']} jiffies a second"
    for name in RESOURCES:
        yield from _resource(name, system, section)


def _sampled(section: Part) -> Iterator[tuple[str, Part]]:
    sampled = section["sampled"]
    if not is_missing(sampled):
        yield from sampled.items()


def _resource(name: Resource, system: Part, section: Part) -> Iterator[str]:
    total = system[name]
    if is_missing(total):
        yield f"{name:<8}not known: {total['reason']}"
        return
    yield f"{name:<8}some {_ms(total['some_us'])}, full {_ms(total['full_us'])} ({total['label']})"
    residuals = section["residual"]
    residual = None if residuals is None or name == "irq" else residuals[name]
    if residual is not None:
        span = length(residual["to_ns"] - residual["from_ns"])
        error = f"{residual['error_percent']:+.2f} % ({residual['tolerance_percent']:g} % allowed)"
        pair = f"replayed {_ms(residual['replayed_some_us'])}, sampled {_ms(residual['sampled_some_us'])}"
        yield f"{'':<8}{pair} in the {span} between samples: {error}"


def _latency(report: Part) -> Iterator[str]:
    section = report["latency"]
    if is_missing(section):
        yield f"not known: {section['reason']}"
        return
    ranks = (
        ("p50", section["p50_ns"]),
        ("p90", section["p90_ns"]),
        ("p99", section["p99_ns"]),
        ("most", section["max_ns"]),
    )
    numbers = [f"{name} {length(value)}" for name, value in ranks if value is not None]
    yield ", ".join([f"{section['wakeups']:,} wakeups", *numbers, section["label"]])
    for name, what in WAITS:
        waits = section[name]
        if waits["count"]:
            one = "wait" if waits["count"] == 1 else "waits"
            yield f"{waits['count']:,} {one} {what}: {length(waits['wait_ns'])} in all, longest {length(waits['max_ns'])}"
    edges = section["edges"]
    if edges["begun_before"] or edges["open_at_end"]:
        crossing = (
            f"{edges['begun_before']:,} waits began before the window, {edges['open_at_end']:,} continued past its end"
        )
        yield f"{crossing}: only their parts inside count, {length(edges['wait_ns'])} in all"


def _wait(wait: Part) -> str:
    who = f"{wait['comm']} ({wait['pid']})"
    return f"{who} waited {length(wait['wait_ns'])} for CPU {wait['cpu']}{_causes(wait['causes'])}"


def _waste(report: Part) -> Iterator[str]:
    section = report["waste"]
    if is_missing(section):
        yield f"not known: {section['reason']}"
        return
    yield f"{section['cpu_seconds']:.3f} CPU seconds idle while tasks waited ({section['label']}){_causes(section['causes'])}"
    for node in section["per_node"]:
        yield f"node {node['nid']}: {node['cpu_seconds']:.3f} CPU seconds{_causes(node['causes'])}"


def _usage(report: Part) -> Iterator[str]:
    section = report["utilisation"]
    if is_missing(section):
        yield f"not known: {section['reason']}"
        return
    yield f"busy time in steps of {length(section['step_ns'])} ({section['label']})"
    for node in section["nodes"]:
        steps = [percent for percent in node["percent"] if percent is not None]
        between = f", {min(steps)} to {max(steps)} %" if steps else ""
        average = "not recorded" if node["average"] is None else f"{node['average']} % on average"
        yield f"node {node['nid']}: {average}{between}"
    if modes := section["modes"]:
        parts = ("user", "system", "irq", "idle", "steal")
        shares = ", ".join(f"{part} {modes[f'{part}_percent']:.1f} %" for part in parts)
        yield f"/proc/stat: {shares} ({modes['label']})"


def _numa(report: Part) -> Iterator[str]:
    balancing = report["numa_balancing"]
    if is_missing(balancing):
        yield f"not known: {balancing['reason']}"
        return
    rows = balancing["ops"]["rows"]
    failed = ("migrate_failed_no_cpu", "migrate_failed_move_to_idle", "migrate_failed_swap_task_fail")
    others = rows["load_balance_cross_numa"]
    yield (
        f"{rows['task_migrated_idle_cpu']:,} tasks moved and {rows['task_migrated_swapped']:,} swapped, "
        f"{sum(rows[name] for name in failed):,} attempts failed, "
        f"{'an unknown number of' if others is None else f'{others:,}'} others crossed nodes"
    )
    cling = report["cling"]
    if is_missing(cling):
        return
    became = sum(flip["busy"] for flip in cling["flips"])
    claim = "nodes would have become" if cling["known_by"] == "what_if" else "nodes became"
    yield f"cling of degree {cling['degree']} %: {len(cling['groups']):,} groups, {claim} busy {became:,} times"


def _ilb(report: Part) -> Iterator[str]:
    section = report["idle_balancing"]
    if is_missing(section):
        yield f"not known: {section['reason']}"
        return
    kicks, idle = section["kicks"], section["idle_percent"]
    counts = f"{kicks['sent']:,} kicks ({kicks['label']}), {kicks['handled']:,} handled, {kicks['dropped']:,} dropped"
    yield f"{counts}; {section['passes']['count']:,} passes"
    if idle is not None:
        share = f"{idle['mean']:.1f} % idle, {idle['min']:.0f} to {idle['max']:.0f} % by second"
        difference = section["idle_difference"]
        yield share if difference is None else f"{share}; {difference['mean']:+.2f} points against the samples"
    if stale := section["stale"]:
        ticks = f"{stale['least_jiffies']:,} to {stale['most_jiffies']:,} ticks, median {stale['median_jiffies']:,}"
        yield f"next_balance stale {stale['count']:,} times, by {ticks} ({stale['label']})"
    yield (
        f"{section['waste']['cpu_ms']:,.0f} CPU ms of idle CPUs with an overdue balance while tasks waited"
        f" ({section['waste']['label']})"
    )


def _findings(report: Part) -> Iterator[str]:
    section: list[Part] | Part = report["findings"]
    if isinstance(section, Mapping):
        yield f"not known: {section['reason']}"
        return
    yield f"{len(section):,}" if section else "none"
    for finding in section[:FINDINGS_SHOWN]:
        impact = f"{finding['impact_ms']:,.1f} ms"
        yield f"{finding['severity']:<6} {impact:>12}  {finding['id']}: {finding['summary']}"
    if len(section) > FINDINGS_SHOWN:
        yield f"and {len(section) - FINDINGS_SHOWN:,} more"
    other = report["other_waiting"]
    yield "other waiting: not recorded" if other is None else _other_waiting(other)
    for note in report["quality"]:
        yield f"data quality: {note['summary']}"


def _other_waiting(other: Part) -> str:
    return f"other waiting: {other['ms']:,.1f} ms ({other['percent']:.0f} % of all), not covered by any finding"


def _causes(causes: Sequence[Part]) -> str:
    """The largest causes: `: busy 3 ms, pinned 1 ms`; nothing when there are none."""
    largest = sorted((each for each in causes if each["ns"]), key=lambda each: -each["ns"])[:CAUSES_SHOWN]
    named = ", ".join(f"{each['cause'].replace('_', ' ')} {length(each['ns'])}" for each in largest)
    return f": {named}" if named else ""


def _ms(us: int | None) -> str:
    return "none" if us is None else f"{us / 1000:,.1f} ms"
