"""What the replay found, for the summary that `numalens analyze` prints."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, Literal, get_args

from numalens.report.shapes import is_missing

Part = Mapping[str, Any]
Resource = Literal["cpu", "memory", "io", "irq"]
RESOURCES: Final[tuple[Resource, ...]] = get_args(Resource)
WORST_SHOWN: Final = 3
CAUSES_SHOWN: Final = 2
FINDINGS_SHOWN: Final = 5
UNITS: Final = ((1e9, "s"), (1e6, "ms"), (1e3, "µs"), (1, "ns"))


def replay_lines(report: Part) -> list[str]:
    """All that was replayed, each part led by an empty line; one line where there is nothing to tell."""
    return [
        *_section("pressure", *_pressure(report["psi"])),
        *_section("latency", *_latency(report)),
        *_section("waste", *_waste(report)),
        *_section("usage", *_usage(report)),
        *_section("numa", *_numa(report)),
        *_section("idle lb", *_ilb(report)),
        *_section("findings", *_findings(report["findings"])),
    ]


def length(ns: float) -> str:
    """A length of time in the largest unit of which there is one at least: `1.5 ms`."""
    factor, unit = next(((factor, unit) for factor, unit in UNITS if abs(ns) >= factor), UNITS[-1])
    return f"{ns / factor:,.3g} {unit}" if ns < 100 * factor else f"{ns / factor:,.0f} {unit}"


def _section(name: str, head: str, *rest: str) -> list[str]:
    return ["", f"{name:<10}{head}", *(f"  {line}" for line in rest)]


def _pressure(told: Part) -> Iterator[str]:
    system = told["system"]
    if is_missing(system):
        yield f"not known: {system['reason']}"
        yield from (f"{name:<8}some {_ms(each['some_us'])} sampled" for name, each in _sampled(told))
        return
    yield f"by the rules of Linux {told['rules']}, {told['hz']} jiffies a second"
    for name in RESOURCES:
        yield from _resource(name, system, told)


def _sampled(told: Part) -> Iterator[tuple[str, Part]]:
    sampled = told["sampled"]
    if not is_missing(sampled):
        yield from sampled.items()


def _resource(name: Resource, system: Part, told: Part) -> Iterator[str]:
    total = system[name]
    if is_missing(total):
        yield f"{name:<8}not known: {total['reason']}"
        return
    yield f"{name:<8}some {_ms(total['some_us'])}, full {_ms(total['full_us'])} ({total['label']})"
    residuals = told["residual"]
    residual = None if residuals is None or name == "irq" else residuals[name]
    if residual is not None:
        span = length(residual["to_ns"] - residual["from_ns"])
        error = f"{residual['error_percent']:+.2f} % ({residual['tolerance_percent']:g} % allowed)"
        pair = f"replayed {_ms(residual['replayed_some_us'])}, sampled {_ms(residual['sampled_some_us'])}"
        yield f"{'':<8}{pair} in the {span} between samples: {error}"


def _latency(report: Part) -> Iterator[str]:
    told = report["latency"]
    if is_missing(told):
        yield f"not known: {told['reason']}"
        return
    ranks = (("p50", told["p50_ns"]), ("p90", told["p90_ns"]), ("p99", told["p99_ns"]), ("most", told["max_ns"]))
    numbers = [f"{name} {length(value)}" for name, value in ranks if value is not None]
    yield ", ".join([f"{told['wakeups']:,} wake-ups", *numbers, told["label"]])
    yield from map(_wait, told["worst"][:WORST_SHOWN])


def _wait(wait: Part) -> str:
    who = f"{wait['comm']} ({wait['pid']})"
    where = f"waited for CPU {wait['cpu']} until {wait['switch_in_ns']} ns"
    return f"{length(wait['wait_ns']):>8}  {who} {where}{_causes(wait['causes'])}"


def _waste(report: Part) -> Iterator[str]:
    told = report["waste"]
    if is_missing(told):
        yield f"not known: {told['reason']}"
        return
    yield f"{told['cpu_seconds']:.3f} CPU seconds idle beside waiting tasks ({told['label']}){_causes(told['causes'])}"
    for node in told["per_node"]:
        yield f"node {node['nid']}: {node['cpu_seconds']:.3f} CPU seconds{_causes(node['causes'])}"


def _usage(report: Part) -> Iterator[str]:
    told = report["utilisation"]
    if is_missing(told):
        yield f"not known: {told['reason']}"
        return
    yield f"busy time in steps of {length(told['step_ns'])} ({told['label']})"
    for node in told["nodes"]:
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
    told = report["idle_balancing"]
    if is_missing(told):
        yield f"not known: {told['reason']}"
        return
    kicks, idle = told["kicks"], told["idle_percent"]
    counts = f"{kicks['sent']:,} kicks ({kicks['label']}), {kicks['handled']:,} handled, {kicks['dropped']:,} dropped"
    yield f"{counts}; {told['passes']['count']:,} passes"
    if idle is not None:
        share = f"{idle['mean']:.1f} % idle, {idle['min']:.0f} to {idle['max']:.0f} % by second"
        difference = told["idle_difference"]
        yield share if difference is None else f"{share}; {difference['mean']:+.2f} points against the samples"
    yield (
        f"{told['waste']['cpu_ms']:,.0f} CPU ms of idle CPUs with an overdue balance beside waiting tasks"
        f" ({told['waste']['label']})"
    )


def _findings(told: list[Part] | Part) -> Iterator[str]:
    if isinstance(told, Mapping):
        yield f"not known: {told['reason']}"
        return
    yield f"{len(told):,}" if told else "none"
    for finding in told[:FINDINGS_SHOWN]:
        impact = f"{finding['impact_ms']:,.1f} ms"
        yield f"{finding['severity']:<6} {impact:>12}  {finding['id']}: {finding['summary']}"
    if len(told) > FINDINGS_SHOWN:
        yield f"and {len(told) - FINDINGS_SHOWN:,} more"


def _causes(causes: Sequence[Part]) -> str:
    """The largest causes: `: busy 3 ms, pinned 1 ms`; nothing when there are none."""
    largest = sorted((each for each in causes if each["ns"]), key=lambda each: -each["ns"])[:CAUSES_SHOWN]
    named = ", ".join(f"{each['cause'].replace('_', ' ')} {length(each['ns'])}" for each in largest)
    return f": {named}" if named else ""


def _ms(us: int | None) -> str:
    return "none" if us is None else f"{us / 1000:,.1f} ms"
