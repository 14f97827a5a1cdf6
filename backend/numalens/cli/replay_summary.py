"""What the replay found, for the summary that `numalens analyze` prints."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, Literal, get_args

from numalens.report.build import is_missing

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
