"""The shapes of what a window tells of NUMA cling: groups, busy nodes, decisions, and how exact their replay is."""

from typing import Literal

from pydantic import ConfigDict, Field

from numalens.api.models import Answer
from numalens.api.section_models import Derived, Label, MomentNs, Section


class Counters(Answer):
    """A node's counters in a numa group, weighted as the kernel does."""

    f: int = Field(description="Failures.")
    t: int = Field(description="Attempts.")
    q: int = Field(description="Failures of attempts, percent.")
    busiest_nid: int = Field(description="The group's busiest node; -1 for none.")


class DecidedBy(Counters):
    """The numbers that decided."""

    nid: int
    degree: int


class Annotation(Derived):
    """A decision of cling, a change of a busy node, a resettling."""

    t_ns: MomentNs
    kind: str = Field(examples=["load_balance", "wake_affine", "swap", "busy", "memory"])
    outcome: str = Field(examples=["clings", "released", "busy", "not_busy"])
    group: int = Field(description="Number of the group.")
    pid: int | None
    snid: int = Field(description="Where the task or the memory was; -1 for none.")
    dnid: int = Field(description="Where it was to go; -1 for none.")
    by: DecidedBy
    function: str = Field(description="The kernel's.")
    after_parting: bool = Field(description="A what-if behind the first moment that would have gone otherwise.")


class BusyInterval(Answer):
    """A stretch in which a node was busy for a group."""

    nid: int
    from_ns: MomentNs
    to_ns: MomentNs


class Flip(Counters):
    """A node became busy for a group, or stopped being it."""

    t_ns: MomentNs
    nid: int
    busy: bool
    degree: int


class GroupNode(Answer):
    """A node in a group: attempts of the window, and its counters at the window's end."""

    nid: int
    attempts: int
    failures: int
    failure_scaled: int
    total_scaled: int
    ratio_percent: int


class GroupStep(Answer):
    """A node's counters from a moment on."""

    t_ns: MomentNs
    nid: int
    failure_scaled: int
    total_scaled: int
    ratio_percent: int
    busiest_nid: int


class Group(Derived):
    """A numa group: its nodes, their counters over time, when a node was busy."""

    number: int
    gid: int = Field(description="0 when nobody joined.")
    cgroup: str | None
    from_ns: MomentNs = Field(description="From when on it is known.")
    to_ns: MomentNs
    disabled_ns: MomentNs | None = Field(description="When it was switched off.")
    nodes: list[GroupNode]
    series: list[GroupStep] = Field(
        description="Ascending, each from its moment on; thinned where there are very many, extremes kept."
    )
    busy: list[BusyInterval]
    flips: list[Flip]


class Checked(Answer):
    """How many lines of a kind were compared with the replay."""

    check: str
    compared: int
    exact: int
    near: int = Field(description="As replayed shortly before or after: read without the group's lock.")
    adopted: int = Field(description="Told for the first time, so that there is nothing to compare with.")


class Violation(Answer):
    """Something was printed that the replay does not come to."""

    t_ns: MomentNs
    cpu: int
    group: int
    check: str
    printed: str
    replayed: str
    reason: str


class CheckedLines(Answer):
    """What the kernel printed, compared with the replay."""

    kinds: list[Checked]
    violations: list[Violation] = Field(description="The first of the window.")
    violations_all: int = Field(description="Of the whole recording.")


class Miss(Answer):
    """So many for a reason."""

    reason: str
    count: int
    first_ns: MomentNs


class Reproduced(Answer):
    """How much of what was printed a replay of events comes to."""

    printed: int
    reproduced: int
    shifted: int = Field(description="Of the reproduced, those more than a jiffy elsewhere in time.")
    percent: float | None = Field(description="Null when nothing was printed.")
    missed: list[Miss]
    extra: list[Miss] = Field(description="Not printed, and in the replay.")


class FromEvents(Answer):
    """What a replay without the kernel's own lines comes to."""

    attempts: Reproduced
    rightly_not_counted: int
    counters: Reproduced
    flips: Reproduced


class Readings(Answer):
    """How the replay of events came to what was read from the groups' files."""

    model_config = ConfigDict(serialize_by_alias=True)

    all: int
    adopted: int = Field(description="Taken over, for nothing was known before.")
    exactly: int
    reordered: int = Field(description="With attempts in another order than their events.")
    timer_shifted: int = Field(description="With a timer at another moment.")
    not_reached: int = Field(alias="not", description="Not at all: the replay goes on from what was read.")


class Point(Counters):
    """A moment at which a node's being busy decides something."""

    t_ns: MomentNs
    site: str = Field(examples=["wake_affine", "load_balance", "swap", "elect", "retry", "memory"])
    group: int
    pid: int
    snid: int
    dnid: int
    nid: int = Field(description="The node that decides.")
    fits_busy: bool | None = Field(description="Null when cling never does what was recorded.")
    label: Label = Field(description="How the moment is known.")


class GroupWhatIf(Answer):
    """A group with another degree; its busy nodes stand in the group itself."""

    group: int
    parts_ns: MomentNs | None = Field(description="Its first moment that goes otherwise.")
    differing: int = Field(description="How many moments go otherwise.")
    points: int = Field(description="Of so many.")


class ClingWhatIf(Derived):
    """Everything with the degree that was asked for."""

    degree: int
    groups: list[GroupWhatIf]
    parts: Point | None = Field(description="The first moment that goes otherwise: claims end there.")
    first_reset_ns: MomentNs | None = Field(description="From here on a task's preferred node differs.")


class ClingSection(Section):
    """NUMA cling: the groups' counters, busy nodes, decisions, and how exact the replay is."""

    known_by: Literal["lines", "readings", "what_if"] = Field(
        description="By the kernel's own lines, by readings of its files, or as what-if on a kernel without it."
    )
    degree: int = Field(description="At the window's end, percent.")
    degrees: list[tuple[MomentNs, int]] = Field(description="Each change of it.")
    timer_period_ns: int
    groups: list[Group]
    decisions: list[Annotation]
    decisions_more: int
    annotations: list[Annotation]
    annotations_more: int
    checked: CheckedLines | None = Field(description="Null without lines of the kernel.")
    from_events: FromEvents | None = Field(
        description="By scheduler events alone. Null without lines of the kernel, as is the next."
    )
    from_everything: FromEvents | None = Field(description="By events, probes and readings of the groups' files.")
    readings: Readings
    what_if: ClingWhatIf | None = Field(description="Null unless a degree was asked for.")
