"""What the replay of a window tells, section by section. All work is the engine's; here are only checks and shapes."""

from dataclasses import dataclass
from typing import Annotated, Any, Final, Literal, TypeVar

from fastapi import APIRouter, Depends, Query, Request

from numalens.api import section_models as models
from numalens.api.access import ReaderOf
from numalens.api.analyses import ready_bundle
from numalens.api.bundles import OpenBundle
from numalens.api.models import NS_LIMIT
from numalens.api.section_models_cling import ClingSection
from numalens.api.section_models_ilb import IlbSection
from numalens.api.section_models_migration import MigrationSection
from numalens.api.section_models_numa import BalancingSection, VmstatSection
from numalens.api.section_models_placement import PlacementSection
from numalens.api.section_models_waits import WaitHeatSection, WaitSection, WaitsSection
from numalens.api.services import services_of
from numalens.api.timeline import MAX_NUMBER, OptionalNs
from numalens.errors import SentenceError
from numalens.report import GROUPS_LISTED, MAX_HZ, MAX_STEPS, Rules, ask, fits, window_of

MAX_LIMIT: Final = 500
MAX_POINTS: Final = 2000
Shape = TypeVar("Shape", bound=models.Section)
Item = TypeVar("Item")

router = APIRouter(prefix="/analyses/{analysis_id}/analysis", tags=["replay"])

RulesOption = Annotated[
    Rules | None, Query(description="Rules of this kernel version in place of those of the traced kernel.")
]
HzOption = Annotated[
    int | None, Query(ge=1, le=MAX_HZ, description="Jiffies per second in place of what the recording tells.")
]
StepOption = Annotated[
    int | None,
    Query(ge=1, lt=NS_LIMIT, description=f"Length of a step in ns; a window may have {MAX_STEPS:,} of them."),
]
LimitOption = Annotated[int, Query(ge=1, le=MAX_LIMIT, description="Most entries of each list of tasks or waits.")]
RowsOption = Annotated[
    int, Query(ge=1, le=64, description="Most numa groups that get rows of their own; the others share one.")
]
GroupsOption = Annotated[
    Literal["recorded", "cgroup"] | None,
    Query(description="What makes tasks a numa group: what was recorded, or as if each cgroup had been given one."),
]
DegreeOption = Annotated[int | None, Query(ge=0, le=100, description="What if cling's degree had been this, percent.")]
AmortisationOption = Annotated[
    int | None,
    Query(
        ge=1, lt=NS_LIMIT, description="How long a task must stay for its pages to be worth the way; 1 s unless given."
    ),
]
IntervalOption = Annotated[
    int | None, Query(ge=5, le=300, description="Migration interval of the what-if in s; 30 unless given.")
]


ModelOption = Annotated[
    Literal["auto", "2011", "2011-patched", "modern"],
    Query(
        description="Whose doings are told: 2011 without or with the patch, or 5.2 and later; by the kernel unless given."
    ),
]
KindOption = Annotated[Literal["wakeups", "preempted"], Query(description="Waits that began with which of the two.")]
LengthOption = Annotated[int | None, Query(ge=0, lt=NS_LIMIT, description="ns.")]
MAX_COLUMNS: Final = 240


@dataclass(frozen=True)
class Asked:
    """A ready analysis and the window that is asked about."""

    bundle: OpenBundle
    window: tuple[int, int]

    @property
    def is_whole(self) -> bool:
        """Whether the window is the one that is asked about unless the query says otherwise."""
        return self.window == window_of(self.bundle.manifest, None, None)

    def tell(self, section: str, **options: str | int | None) -> dict[str, Any]:
        """What the engine tells of a section."""
        return ask(self.bundle.engine, section, self.window, options)

    def check_steps(self, step_ns: int | None) -> None:
        """Raises 422 for a step that would cut the window into too many parts."""
        if not fits(self.window, step_ns):
            raise SentenceError(
                422,
                f"The query parameter step_ns is too small: the window has more than {MAX_STEPS} steps of that length.",
            )


def asked(request: Request, who: ReaderOf, from_ns: OptionalNs = None, to_ns: OptionalNs = None) -> Asked:
    """The window of a query; its edges are those of the common window unless given. Raises 422 when it is empty."""
    bundle = ready_bundle(services_of(request), who.analysis_id)
    window = window_of(bundle.manifest, from_ns, to_ns)
    if (from_ns is not None or to_ns is not None) and window[0] >= window[1]:
        raise SentenceError(422, f"The window is empty: from_ns {window[0]} is not before to_ns {window[1]}.")
    return Asked(bundle, window)


AskedOf = Annotated[Asked, Depends(asked)]


@router.get("/psi")
def get_pressure(
    about: AskedOf, psi_rules: RulesOption = None, hz: HzOption = None
) -> models.PressureSection | models.MissingPart:
    """Pressure: replayed totals and averages, the kernel's own samples beside them, and the residual.

    The window is the one that all CPUs' buffers have in common unless the query says otherwise. A series has at most 2,001
    points. 409 until the analysis is ready.
    """
    told = about.tell("psi", rules=psi_rules, hz=hz)
    if "series" in told:
        series = told["series"]
        told["series"] = series | {name: thinned(series[name], MAX_POINTS) for name in ("cpu", "memory", "io")}
    return _shaped(models.PressureSection, told)


@router.get("/utilisation")
def get_utilisation(about: AskedOf, step_ns: StepOption = None) -> models.UtilisationSection | models.MissingPart:
    """How busy nodes and CPUs were, how even that was, and how long the runqueues were; the step is 5 s unless given."""
    about.check_steps(step_ns)
    return _shaped(models.UtilisationSection, about.tell("utilisation", step_ns=step_ns))


@router.get("/residency")
def get_residency(about: AskedOf, limit: LimitOption = 50) -> models.ResidencySection | models.MissingPart:
    """Which tasks ran on which nodes."""
    return _shaped(models.ResidencySection, about.tell("residency", limit=limit))


@router.get("/latency")
def get_latency(about: AskedOf, limit: LimitOption = 50) -> models.LatencySection | models.MissingPart:
    """From wake-up to running, for the waits that ended inside the window, and what they are made of."""
    return _shaped(models.LatencySection, about.tell("latency", limit=limit))


@router.get("/wait_heat")
def get_wait_heat(
    about: AskedOf,
    columns: Annotated[int, Query(ge=1, le=MAX_COLUMNS, description="Columns at most.")] = MAX_COLUMNS,
) -> WaitHeatSection | models.MissingPart:
    """How many of the window's waits were how long when: those that `latency` has percentiles of, by when they ended."""
    return _shaped(WaitHeatSection, about.tell("wait_heat", columns=columns))


@router.get("/waits")
def get_waits(
    about: AskedOf,
    kind: KindOption = "wakeups",
    least_ns: LengthOption = None,
    below_ns: LengthOption = None,
    ended_from_ns: OptionalNs = None,
    ended_to_ns: OptionalNs = None,
    limit: LimitOption = 50,
) -> WaitsSection | models.MissingPart:
    """The longest of the window's waits whose length is within `least_ns` and `below_ns` and whose end within the other two.

    That is what a cell of `wait_heat` counts.
    """
    told = about.tell(
        "waits",
        kind=kind,
        least_ns=least_ns,
        below_ns=below_ns,
        ended_from_ns=ended_from_ns,
        ended_to_ns=ended_to_ns,
        limit=limit,
    )
    return _shaped(WaitsSection, told)


@router.get("/wait")
def get_wait(
    about: AskedOf,
    pid: Annotated[int | None, Query(ge=0, le=MAX_NUMBER, description="Who waited.")] = None,
    cpu: Annotated[int | None, Query(ge=0, le=MAX_NUMBER, description="Where it got its CPU.")] = None,
) -> WaitSection | models.MissingPart:
    """One wait opened: its causes part by part, who ran meanwhile, which CPUs were idle, and who woke whom before.

    The window is the wait: `from_ns` its `waking_ns`, `to_ns` its `switch_in_ns`.
    """
    return _shaped(WaitSection, about.tell("wait", pid=pid, cpu=cpu))


@router.get("/waste")
def get_waste(about: AskedOf, step_ns: StepOption = None) -> models.WasteSection | models.MissingPart:
    """CPU time that was idle beside waiting tasks, and why."""
    about.check_steps(step_ns)
    return _shaped(models.WasteSection, about.tell("waste", step_ns=step_ns))


@router.get("/findings")
def get_findings(
    about: AskedOf, psi_rules: RulesOption = None, hz: HzOption = None
) -> models.FindingsSection | models.MissingPart:
    """What the detectors found in the window, worst first."""
    kept = about.bundle.findings
    if kept is not None and psi_rules is None and hz is None and about.is_whole:
        return _shaped(models.FindingsSection, kept)
    return _shaped(models.FindingsSection, about.tell("findings", rules=psi_rules, hz=hz))


@router.get("/balancing")
def get_balancing(about: AskedOf, limit: LimitOption = 50) -> BalancingSection | models.MissingPart:
    """Attempts of the NUMA balancer to place tasks: the Ops table, how they ended, and what each met."""
    return _shaped(BalancingSection, about.tell("balancing", limit=limit))


@router.get("/cling")
def get_cling(
    about: AskedOf, degree: DegreeOption = None, groups: GroupsOption = None, limit: LimitOption = 50
) -> ClingSection | models.MissingPart:
    """NUMA cling: failures of migrations by group and node, busy nodes, decisions, and how exact their replay is.

    With a degree everything is a what-if up to the first moment that would have gone otherwise.
    """
    told = about.tell("cling", degree=degree, groups=groups, limit=limit)
    if "groups" in told:
        told["groups"] = [group | {"series": thinned_steps(group["series"], MAX_POINTS)} for group in told["groups"]]
        decisions = told["decisions"]
        told["decisions"] = decisions[:limit]
        told["decisions_more"] += max(0, len(decisions) - limit)
    return _shaped(ClingSection, told)


@router.get("/migration")
def get_migration(
    about: AskedOf,
    amortisation_ns: AmortisationOption = None,
    step_ns: StepOption = None,
    interval_s: IntervalOption = None,
) -> MigrationSection | models.MissingPart:
    """Whether memory followed the CPUs or the CPUs the memory, and the statistics of auto-migration where sampled."""
    about.check_steps(step_ns)
    told = about.tell("migration", amortisation_ns=amortisation_ns, step_ns=step_ns, interval_s=interval_s)
    return _shaped(MigrationSection, told)


@router.get("/placement")
def get_placement(
    about: AskedOf, step_ns: StepOption = None, limit: RowsOption = GROUPS_LISTED
) -> PlacementSection | models.MissingPart:
    """CPU time by numa group and node over time, and the nodes on which their memory lies."""
    about.check_steps(step_ns)
    return _shaped(PlacementSection, about.tell("placement", step_ns=step_ns, limit=limit))


@router.get("/ilb")
def get_ilb(about: AskedOf, model: ModelOption = "auto", limit: LimitOption = 50) -> IlbSection | models.MissingPart:
    """The nohz idle load balancer: kicks, passes, idle time, and three of its versions beside each other.

    Its states are replayed from the recording's begin on; what is told is of the window.
    """
    return _shaped(IlbSection, about.tell("ilb", model=model, limit=limit))


@router.get("/vmstat")
def get_vmstat(about: AskedOf) -> VmstatSection | models.MissingPart:
    """What the counters of /proc/vmstat counted in the window, in mmtests' rows."""
    return _shaped(VmstatSection, about.tell("vmstat"))


def thinned_steps(steps: list[dict[str, Any]], most: int) -> list[dict[str, Any]]:
    """Steps of several nodes with at most about `most` left: of each stretch of a node the ends, its highest, its lowest.

    A peak above the degree must stay to be seen however many steps there are.
    """
    if len(steps) <= most:
        return steps
    nodes: dict[int, list[int]] = {}
    for at, step in enumerate(steps):
        nodes.setdefault(step["nid"], []).append(at)
    length = -(-4 * len(steps) // most)
    kept: set[int] = set()
    for rows in nodes.values():
        for first in range(0, len(rows), length):
            part = rows[first : first + length]
            by_ratio = sorted(part, key=lambda at: steps[at]["ratio_percent"])
            kept.update((part[0], part[-1], by_ratio[0], by_ratio[-1]))
    return [steps[at] for at in sorted(kept)]


def thinned(items: list[Item], most: int) -> list[Item]:
    """Every n-th item so that there are at most `most`, and the last."""
    step = max(1, -(-len(items) // most))
    kept = items[::step]
    return kept if (len(items) - 1) % step == 0 or not items else [*kept, items[-1]]


def _shaped(model: type[Shape], told: dict[str, Any]) -> Shape | models.MissingPart:
    missing = told.get("available") is False
    return models.MissingPart.model_validate(told) if missing else model.model_validate(told)
