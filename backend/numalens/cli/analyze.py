"""`numalens analyze`: read, report, keep."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Final, Literal, get_args

import typer

from numalens.cli.inputs import Wanted, check_window, opened
from numalens.cli.limited import limit_memory
from numalens.cli.options import Files, From, Hz, Offsets, To, Tolerant, read_options
from numalens.cli.output import write_report
from numalens.cli.usage import UsageError, new_app, ns_of
from numalens.report import MAX_STEPS, ReportOptions, Rules, build_report, fits, schema_1, window_of
from numalens.report.build import is_missing

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


Part = Mapping[str, Any]
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
UNITS: Final = ((1e9, "s"), (1e6, "ms"), (1e3, "µs"), (1, "ns"))


def replay_lines(report: Part) -> list[str]:
    """All that was replayed, each part led by an empty line; one line where there is nothing to say."""
    return [
        *_section("pressure", *_pressure(report["psi"])),
        *_section("latency", *_latency(report)),
        *_section("waste", *_waste(report)),
        *_section("usage", *_usage(report)),
        *_section("numa", *_numa(report)),
        *_section("idle lb", *_ilb(report)),
        *_section("findings", *_findings(report)),
    ]


def length(ns: float) -> str:
    """A length of time in the largest unit of which there is one at least: `1.5 ms`."""
    factor, unit = next(((factor, unit) for factor, unit in UNITS if abs(ns) >= factor), UNITS[-1])
    return f"{ns / factor:,.3g} {unit}" if ns < 100 * factor else f"{ns / factor:,.0f} {unit}"


def _section(name: str, head: str, *rest: str) -> list[str]:
    return ["", f"{name:<10}{head}", *(f"  {line}" for line in rest)]


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
    yield ", ".join([f"{section['wakeups']:,} wake-ups", *numbers, section["label"]])
    for name, what in WAITS:
        waits = section[name]
        if waits["count"]:
            one = "wait" if waits["count"] == 1 else "waits"
            yield f"{waits['count']:,} {one} {what}: {length(waits['wait_ns'])} in all, most {length(waits['max_ns'])}"
    edges = section["edges"]
    if edges["begun_before"] or edges["open_at_end"]:
        crossing = (
            f"{edges['begun_before']:,} waits began before the window, {edges['open_at_end']:,} went on behind it"
        )
        yield f"{crossing}: they count with their parts inside, {length(edges['wait_ns'])} in all"
    yield from map(_wait, section["worst"][:WORST_SHOWN])


def _wait(wait: Part) -> str:
    who = f"{wait['comm']} ({wait['pid']})"
    where = f"waited for CPU {wait['cpu']} until {wait['switch_in_ns']} ns"
    return f"{length(wait['wait_ns']):>8}  {who} {where}{_causes(wait['causes'])}"


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
        steps = node["percent"]
        between = f", {min(steps)} to {max(steps)} %" if steps else ""
        yield f"node {node['nid']}: {node['average']} % on average{between}"


def _numa(report: Part) -> Iterator[str]:
    balancing = report["numa_balancing"]
    if is_missing(balancing):
        yield f"not known: {balancing['reason']}"
        return
    rows = balancing["ops"]["rows"]
    failed = ("migrate_failed_no_cpu", "migrate_failed_move_to_idle", "migrate_failed_swap_task_fail")
    yield (
        f"{rows['task_migrated_idle_cpu']:,} tasks moved and {rows['task_migrated_swapped']:,} swapped, "
        f"{sum(rows[name] for name in failed):,} attempts failed, {rows['load_balance_cross_numa']:,} others crossed nodes"
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
    yield report["headline"]["summary"]
    for finding in section[:FINDINGS_SHOWN]:
        impact = f"{finding['impact_ms']:,.1f} ms"
        yield f"{finding['severity']:<6} {impact:>12}  {finding['id']}: {finding['summary']}"
    if len(section) > FINDINGS_SHOWN:
        yield f"and {len(section) - FINDINGS_SHOWN:,} more"
    other = report["other_waiting"]
    yield "other waiting: not recorded" if other is None else _other_waiting(other)


def _other_waiting(other: Part) -> str:
    return f"other waiting: {other['ms']:,.1f} ms ({other['percent']:.0f} % of all), which no finding claims"


def _causes(causes: Sequence[Part]) -> str:
    """The largest causes: `: busy 3 ms, pinned 1 ms`; nothing when there are none."""
    largest = sorted((each for each in causes if each["ns"]), key=lambda each: -each["ns"])[:CAUSES_SHOWN]
    named = ", ".join(f"{each['cause'].replace('_', ' ')} {length(each['ns'])}" for each in largest)
    return f": {named}" if named else ""


def _ms(us: int | None) -> str:
    return "none" if us is None else f"{us / 1000:,.1f} ms"


app = new_app()


@app.command()
def analyze(
    files: Files,
    topology: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Nodes and CPUs: output of `lscpu -p` or `numactl -H`."),
    ] = None,
    from_ns: From = None,
    to_ns: To = None,
    tolerant: Tolerant = False,
    offset: Offsets = None,
    degree: Annotated[
        int | None,
        typer.Option(
            min=0,
            max=100,
            help="What if cling's degree were this, in percent? Else as recorded, 20 where no input has it.",
        ),
    ] = None,
    psi_rules: Annotated[
        Rules | None, typer.Option("--psi-rules", help="Pressure by the rules of this kernel version instead.")
    ] = None,
    hz: Hz = None,
    step: Annotated[
        float | None, typer.Option(metavar="S", help="Step of the utilisation table, in seconds; 5 unless given.")
    ] = None,
    json: Annotated[
        str | None,
        typer.Option("--json", metavar="FILE", help="Write the report; `-` prints it alone on standard output."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("-o", metavar="DIR", help="Keep the analysis bundle in a new folder.")
    ] = None,
    schema: Annotated[
        int, typer.Option(min=1, max=2, help="Schema of the report: 1 has the names of earlier versions.")
    ] = 2,
) -> None:
    """Read any mix of inputs as one analysis and print a summary."""
    limit_memory(out)
    wanted = Wanted(files, topology, read_options(tolerant, offset), hz)
    options = ReportOptions(degree, psi_rules, hz, None if step is None else ns_of("--step", step))
    window = (from_ns, to_ns)
    check_window(window)
    with opened(wanted, out) as bundle:
        if not fits(window_of(bundle.manifest, *window), options.step_ns):
            raise UsageError(f"--step: the window has more than {MAX_STEPS} steps of that length")
        report = build_report(bundle.engine, *window, options)
    kept = None if out is None else str(out)
    write_report(schema_1(report) if schema == 1 else report, json, lambda: summary(report, kept))
