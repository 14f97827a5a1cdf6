"""The tables about what the NUMA balancer, the memory and the pressure did: mmtests' rows, and those of the other replays."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from numalens.report.build import Label
from numalens.report.catalogue import CATALOGUE
from numalens.report.compare.gather import SECOND, Gathered
from numalens.report.compare.rows import Absent, Read, Reading, Sheet, Spec, from_section, weakest
from numalens.report.compare.shapes import Better, Unit

REPLAYED: Final[Label] = "replayed"
WHAT_IF: Final[Label] = "what-if"
NS_PER_MS: Final = 1e6
US_PER_MS: Final = 1e3

CROSSINGS: Final[Sequence[tuple[str, str]]] = (
    ("total", "Migrations to another node"),
    ("numa", "by the NUMA balancer"),
    ("wakeup", "at a wakeup"),
    ("runnable", "of a runnable task (load balance)"),
    ("asleep", "of a sleeping task (affinity, exec)"),
)
VMSTAT_BETTER: Final[Mapping[str, Better]] = {
    "alloc_miss": "lower",
    "base_page_range_updates": "lower",
    "pte_updates": "lower",
    "pmd_updates": "lower",
    "hint_faults": "lower",
    "hint_local_percent": "higher",
    "pages_migrated": "lower",
    "autonuma_cost": "lower",
}
"""Rows that are better one way; of the others nothing is said."""
VMSTAT_SHARES: Final = frozenset({"hint_local_percent"})
"""Rows other than counts."""
DECISIONS: Final = (
    ("wake_affine", "clings", "Wakeups kept on their node"),
    ("wake_affine", "released", "Wakeups let off a busy node"),
    ("load_balance", "clings", "Pulls refused"),
    ("load_balance", "released", "Pulls let off a busy node"),
    ("swap", "clings", "Swaps refused"),
    ("swap", "released", "Swaps let off a busy node"),
)
KICKS: Final[Sequence[tuple[str, str, Better]]] = (
    ("sent", "Kicks sent", "neither"),
    ("handled", "Kicks handled", "neither"),
    ("dropped", "Kicks dropped", "lower"),
    ("latched", "Kicks latched", "neither"),
)


def balancer_sheets(runs: Sequence[Gathered]) -> list[Sheet]:
    """All tables that are not statistics over windows."""
    return [
        *_benchmarks(runs),
        Sheet("ops", "Ops", list(_ops("rows")), "balancing"),
        Sheet("ops_mmtests", "Ops as mmtests counts", list(_ops("mmtests")), "balancing"),
        Sheet("vmstat", "/proc/vmstat", list(_vmstat(runs)), "vmstat"),
        Sheet("numa", "Tasks and memory between nodes", [*_crossings(), *_migration()], None),
        Sheet("psi", "Pressure", list(_pressure()), None),
        Sheet("cling", "NUMA cling", list(_cling()), "cling"),
        Sheet("ilb", "Idle load balancer", list(_ilb()), "ilb"),
    ]


def count(section: str, path: str, quality: str | None = None, per: float = 1) -> Read:
    """A count of a section, in units of `per`; its label is at `quality`, or next to it."""

    def read(run: Gathered) -> Reading | Absent:
        return _read(run, section, path, quality, per, run.recording.seconds)

    return read


def number(section: str, path: str, quality: str | None = None, per: float = 1) -> Read:
    """A number other than a count, likewise."""

    def read(run: Gathered) -> Reading | Absent:
        return _read(run, section, path, quality, per, None)

    return read


def dig(answer: Mapping[str, Any], path: str) -> Any:  # noqa: ANN401  (JSON)
    """Value at a dotted path; None if a part is missing."""
    found: Any = answer
    for part in path.split("."):
        if not isinstance(found, Mapping):
            return None
        found = found.get(part)
    return found


def _read(
    run: Gathered, section: str, path: str, quality: str | None, per: float, seconds: float | None
) -> Reading | Absent:
    answer = run.section(section)
    if not run.has(section):
        return Absent(answer["reason"])
    found = dig(answer, path)
    good = dig(answer, quality) if quality else (dig(answer, path.rpartition(".")[0]) if "." in path else answer)
    good = good if isinstance(good, Mapping) else {}
    missing = good.get("missing") or []
    if found is None:
        return Absent(f"not known without {', '.join(missing)}" if missing else "not known here")
    return Reading([found / per], good.get("label") or answer.get("label") or REPLAYED, missing, _above_0(seconds))


def _above_0(seconds: float | None) -> float | None:
    return seconds if seconds is None or seconds > 0 else 1.0


def _ops(rules: str) -> Iterator[Spec]:
    for row in CATALOGUE["ops"]:
        yield Spec(row["id"], row["title"], _ops_row(row["id"], rules), better=row["better"])


def _ops_row(name: str, rules: str) -> Read:
    @from_section("balancing")
    def read(run: Gathered, answer: dict[str, Any]) -> Reading | Absent:
        ops = answer["ops"]
        # mmtests prints no row for a counter that never counted.
        return Reading([ops[rules][name] or 0], ops["label"], ops["missing"], _above_0(run.recording.seconds))

    return read


def _benchmarks(runs: Sequence[Gathered]) -> Iterator[Sheet]:
    figures = {
        _figure_key(figure): figure
        for run in runs
        if run.has("benchmark")
        for figure in run.section("benchmark")["figures"]
    }
    specs = [
        Spec(f"benchmark_{' '.join(key)}", _figure_title(key), _figure(key), figure["unit"], figure["better"])
        for key, figure in figures.items()
    ]
    if specs:
        yield Sheet("benchmark", "Benchmarks", specs, "benchmark")


def _figure_key(figure: Mapping[str, Any]) -> tuple[str, ...]:
    return figure["tool"], figure["setup"], figure["name"], figure["column"] or ""


def _figure_title(key: tuple[str, ...]) -> str:
    tool, setup, name, column = key
    return f"{tool}{setup and f' ({setup})'} {name}{column and f', {column}'}"


def _figure(key: tuple[str, ...]) -> Read:
    @from_section("benchmark")
    def read(_run: Gathered, answer: dict[str, Any]) -> Reading | Absent:
        values = next((figure["values"] for figure in answer["figures"] if _figure_key(figure) == key), None)
        return Absent("no benchmark printed it") if values is None else Reading(values, answer["label"])

    return read


def _crossings() -> Iterator[Spec]:
    for name, title in CROSSINGS:
        yield Spec(
            f"crossings_{name}",
            title,
            count("balancing", f"ops.crossings.{name}", "ops"),
            better="lower" if name == "total" else "neither",
        )


def _migration() -> Iterator[Spec]:
    rows: Sequence[tuple[str, str, str, Unit, Better, float]] = (
        ("pages", "Pages that followed their tasks", "memory_follows_cpu.pages", "", "lower", 1),
        ("just_too_late", "Pages moved just too late", "just_too_late.pages", "", "lower", 1),
        ("dwell_p50", "Stay on a node, median", "dwell.p50_ns", "ns", "higher", 1),
        ("fight_index", "Fight index", "fight.index", "", "lower", 1),
        ("following", "Tasks that came to their memory", "cpu_follows_memory.share", "%", "higher", 0.01),
        ("convergence", "Convergence", "convergence.after_ns", "ns", "lower", 1),
    )
    counted = {"pages", "just_too_late"}
    for name, title, path, unit, better, per in rows:
        read = (count if name in counted else number)("migration", f"metrics.{path}", per=per)
        yield Spec(f"migration_{name}", title, read, unit, better)
    locality = number("migration", "metrics.locality.faults", "metrics.locality.faults_quality", per=0.01)
    yield Spec("migration_locality", "Locality of hint faults", locality, "%", "higher")


def _vmstat(runs: Sequence[Gathered]) -> Iterator[Spec]:
    names: dict[str, str] = {}
    for run in runs:
        for row in run.section("vmstat")["table"]["rows"] if run.has("vmstat") else []:
            names.setdefault(row["row"], row["name"] or row["row"].replace("_", " "))
    for row, title in names.items():
        unit: Unit = "%" if row in VMSTAT_SHARES else "cost" if row.startswith("autonuma_cost") else ""
        yield Spec(f"vmstat_{row}", title, _vmstat_row(row), unit, VMSTAT_BETTER.get(row, "neither"))


def _vmstat_row(wanted: str) -> Read:
    @from_section("vmstat")
    def read(_run: Gathered, answer: dict[str, Any]) -> Reading | Absent:
        table = answer["table"]
        value = next((row["value"] for row in table["rows"] if row["row"] == wanted), None)
        if value is None:
            return Absent("its counter was not read, or went back")
        # Between the samples, which need not reach from end to end of the window.
        seconds = (answer["sampled_to_ns"] - answer["sampled_from_ns"]) / 1e9
        rate = None if wanted in VMSTAT_SHARES else _above_0(seconds)
        return Reading([value], table["label"], table["missing"], rate)

    return read


def _pressure() -> Iterator[Spec]:
    for resource in ("cpu", "memory", "io", "irq"):
        for kind in ("some", "full"):
            path = f"system.{resource}.{kind}_us"
            read = _part(f"system.{resource}", count("psi", path, per=US_PER_MS))
            yield Spec(f"psi_{resource}_{kind}", f"{resource} {kind}", read, "ms", "lower")
            if resource != "irq":
                sampled = _sampled(resource, f"sampled_{kind}_us")
                yield Spec(
                    f"psi_{resource}_{kind}_sampled", f"{resource} {kind}, the kernel's own", sampled, "ms", "lower"
                )


def _part(path: str, read: Read) -> Read:
    """The value of a section's part that has its own reason for being missing."""

    def of(run: Gathered) -> Reading | Absent:
        part = dig(run.section("psi"), path)
        if isinstance(part, Mapping) and part.get("available") is False:
            return Absent(part["reason"])
        return read(run)

    return of


def _sampled(resource: str, name: str) -> Read:
    @from_section("psi")
    def read(_run: Gathered, answer: dict[str, Any]) -> Reading | Absent:
        span = dig(answer, f"residual.{resource}")
        if span is None or span[name] is None:
            return Absent("the kernel's own counter was not sampled in the window")
        return Reading([span[name] / US_PER_MS], "observed", (), _above_0((span["to_ns"] - span["from_ns"]) / 1e9))

    return read


def _cling() -> Iterator[Spec]:
    yield Spec("cling_attempts", "Attempts to migrate", _of_groups("attempts"))
    yield Spec("cling_failures", "Failed", _of_groups("failures"), better="lower")
    yield Spec("cling_flips", "Flips of busy nodes", _of_lists("flips", None), better="lower")
    yield Spec("cling_busy", "Busy time of nodes", _of_lists("busy", NS_PER_MS), "ms", "lower")
    for kind, outcome, title in DECISIONS:
        yield Spec(f"cling_{kind}_{outcome}", title, _decided(kind, outcome))


def _of_groups(name: str) -> Read:
    def values(answer: Mapping[str, Any]) -> list[float]:
        return [node[name] for group in answer["groups"] for node in group["nodes"]]

    return _clung(values)


def _of_lists(name: str, per: float | None) -> Read:
    def values(answer: Mapping[str, Any]) -> list[float]:
        parts = [part for group in answer["groups"] for part in group[name]]
        return [1 if per is None else (part["to_ns"] - part["from_ns"]) / per for part in parts]

    return _clung(values)


def _decided(kind: str, outcome: str) -> Read:
    @from_section("cling")
    def read(run: Gathered, answer: dict[str, Any]) -> Reading | Absent:
        if answer["decisions_more"]:
            return Absent(f"{answer['decisions_more']:,} more decisions than are listed")
        notes = [note for note in answer["decisions"] if (note["kind"], note["outcome"]) == (kind, outcome)]
        missing = dict.fromkeys(name for note in notes for name in note["missing"])
        label = weakest([note["label"] for note in notes]) or (WHAT_IF if answer["known_by"] == "what_if" else REPLAYED)
        return Reading([1] * len(notes), label, list(missing), _above_0(run.recording.seconds), add=True)

    return read


def _clung(values: Callable[[Mapping[str, Any]], list[float]]) -> Read:
    @from_section("cling")
    def read(run: Gathered, answer: dict[str, Any]) -> Reading | Absent:
        groups = answer["groups"]
        label = groups[0]["label"] if groups else REPLAYED
        if answer["known_by"] == "what_if":
            label = WHAT_IF
        missing = dict.fromkeys(name for group in groups for name in group["missing"])
        return Reading(values(answer), label, list(missing), _above_0(run.recording.seconds), add=True)

    return read


def _ilb() -> Iterator[Spec]:
    for name, title, better in KICKS:
        yield Spec(f"ilb_{name}", title, count("ilb", f"kicks.{name}"), better=better)
    yield Spec("ilb_passes", "Passes for idle CPUs", count("ilb", "passes.count"))
    yield Spec("ilb_pulled", "Tasks they moved", count("ilb", "passes.migrations"))
    yield Spec("ilb_blocked_ticks", "Blocked ticks", count("ilb", "blocked_ticks"), better="lower")
    yield Spec("ilb_idle", "Idle, mean of seconds", number("ilb", "idle_percent.mean"), "%")
    yield Spec("ilb_waste", "Idle CPUs while tasks wait, balance overdue", count("ilb", "waste.cpu_ms"), "ms", "lower")


PERCENTILES: Final = (("p50_ns", "p50"), ("p90_ns", "p90"), ("p99_ns", "p99"), ("max_ns", "Longest"))
WAITS: Final[Sequence[tuple[str, str, str, Unit, Better, float, bool]]] = (
    ("wakeups", "Wakeups", "wakeups", "", "neither", 1, True),
    ("waited", "Time waited after wakeups", "wait_ns", "ms", "lower", NS_PER_MS, True),
    ("preempted_waited", "Time waited after preemptions", "preempted_ns", "ms", "lower", NS_PER_MS, True),
    ("p50", "Wakeup latency p50", "p50_ns", "ns", "lower", 1, False),
    ("p99", "Wakeup latency p99", "p99_ns", "ns", "lower", 1, False),
    ("longest", "Longest wait", "max_ns", "ns", "lower", 1, False),
)
"""Rows over windows of waits: name, title, field, unit, direction, what a unit has, whether it is a count."""


def windowed_sheets(runs: Sequence[Gathered]) -> list[Sheet]:
    """Statistics over windows first, then what the whole window has of latency and waste, then findings."""
    return [
        Sheet("statistics", "Statistics", list(_statistics(runs)), "used"),
        Sheet("latency", "Wakeup latency", list(_latency()), "latency"),
        Sheet("waste", "Idle CPUs while tasks wait", list(_waste()), "wasted"),
        Sheet("findings", "Findings by cost", list(_findings(runs)), "findings"),
    ]


def _statistics(runs: Sequence[Gathered]) -> Iterator[Spec]:
    nids = sorted({node["nid"] for run in runs if run.has("used") for node in run.section("used")["nodes"]})
    for nid in nids:
        yield Spec(f"node_{nid}", f"Node {nid} busy", _node(nid), "%")
    yield Spec("spread", "Node imbalance (busiest - idlest)", _steps("used", "imbalance", "max_min"), "points", "lower")
    for name, title, field, unit, better, per, counted in WAITS:
        yield Spec(name, title, _steps("waits", "windows", field, per, counted), unit, better)
    yield Spec("wasted", "Idle CPUs while tasks wait", _wasted, "ms", "lower")


def _node(nid: int) -> Read:
    @from_section("used")
    def values(_run: Gathered, answer: dict[str, Any]) -> Reading | Absent:
        node = next((node for node in answer["nodes"] if node["nid"] == nid), None)
        return (
            Absent("there is no such node")
            if node is None
            else Reading(
                [percent for percent in node["percent"] if percent is not None], answer["label"], answer["missing"]
            )
        )

    return values


def _steps(section: str, steps: str, field: str, per: float = 1, counted: bool = False) -> Read:
    @from_section(section)
    def values(_run: Gathered, answer: dict[str, Any]) -> Reading | Absent:
        if field == "max_min" and len(answer["nodes"]) < 2:  # noqa: PLR2004
            return Absent("there is only one node")
        found = [step[field] / per for step in answer[steps] if step[field] is not None]
        return Reading(found, answer["label"], answer["missing"], answer["step_ns"] / SECOND if counted else None)

    return values


@from_section("wasted")
def _wasted(run: Gathered, answer: dict[str, Any]) -> Reading | Absent:
    series = answer["series"]
    # A last step of other length would count as a quiet one.
    whole = run.recording.length_ns // series["step_ns"]
    found = series["cpu_ns"][: max(1, whole)]
    return Reading([ns / NS_PER_MS for ns in found], answer["label"], answer["missing"], series["step_ns"] / SECOND)


def _latency() -> Iterator[Spec]:
    yield Spec("latency_wakeups", "Wakeups", count("latency", "wakeups"))
    yield Spec("latency_waited", "Time waited", count("latency", "wait_ns", per=NS_PER_MS), "ms", "lower")
    for field, title in PERCENTILES:
        yield Spec(f"latency_{field}", title, number("latency", field), "ns", "lower")
    yield Spec("latency_preempted", "Preemptions", count("latency", "preempted.count"))
    preempted = count("latency", "preempted.wait_ns", per=NS_PER_MS)
    yield Spec("latency_preempted_waited", "Time waited afterwards", preempted, "ms", "lower")
    yield Spec("latency_new", "New tasks that waited", count("latency", "new.count"))
    new = count("latency", "new.wait_ns", per=NS_PER_MS)
    yield Spec("latency_new_waited", "Time waited by new tasks", new, "ms", "lower")
    yield Spec("latency_unfinished", "Waits without a known end", count("latency", "unfinished.count"))
    unfinished = count("latency", "unfinished.wait_ns", per=NS_PER_MS)
    yield Spec("latency_unfinished_waited", "Time waited in them, at least", unfinished, "ms", "lower")


def _waste() -> Iterator[Spec]:
    yield Spec("waste_all", "All", count("wasted", "cpu_ns", per=NS_PER_MS), "ms", "lower")
    for cause in CATALOGUE["waste_causes"]:
        yield Spec(f"waste_{cause['id']}", cause["title"], _cause(cause["id"]), "ms", "lower")


def _cause(wanted: str) -> Read:
    @from_section("wasted")
    def read(run: Gathered, answer: dict[str, Any]) -> Reading | Absent:
        parts = [cause["ns"] / NS_PER_MS for cause in answer["causes"] if cause["cause"] == wanted]
        return Reading(parts, answer["label"], answer["missing"], run.recording.seconds or 1.0, add=True)

    return read


def _findings(runs: Sequence[Gathered]) -> Iterator[Spec]:
    """Findings that cost time; the others are listed elsewhere."""
    for name in found_kinds(runs):
        if any(
            found["id"] == name and found["impact_ms"] > 0
            for run in runs
            if run.has("findings")
            for found in findings_of(run)
        ):
            yield Spec(f"finding_{name}", name, _impact(name), "ms", "lower")


def found_kinds(runs: Sequence[Gathered]) -> list[str]:
    """The detectors that found something anywhere, in the order of the engine's ranking."""
    return list(dict.fromkeys(found["id"] for run in runs if run.has("findings") for found in findings_of(run)))


def findings_of(run: Gathered) -> list[dict[str, Any]]:
    """Findings of a run, worst first."""
    found: list[dict[str, Any]] = run.section("findings").get("findings", [])
    return found


def _impact(name: str) -> Read:
    def read(run: Gathered) -> Reading | Absent:
        if not run.has("findings"):
            return Absent(run.section("findings")["reason"])
        found = [each for each in findings_of(run) if each["id"] == name]
        missing = dict.fromkeys(part for each in found for part in each["missing"])
        label = found[0]["label"] if found else REPLAYED
        return Reading(
            [each["impact_ms"] for each in found], label, list(missing), run.recording.seconds or 1.0, add=True
        )

    return read
