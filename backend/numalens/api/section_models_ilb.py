"""The shapes of what a window tells of the nohz idle load balancer: kicks, passes, idle time, three models side by side."""

from typing import Literal

from pydantic import ConfigDict, Field

from numalens.api.models import Answer
from numalens.api.section_models import Derived, Label, MomentNs, Section

Model = Literal["2011", "2011-patched", "modern"]


class ToldBy(Answer):
    """What tells of a step of the balancer."""

    by: str = Field(examples=["probe trigger_load_balance"], description="`made up` where no event does.")
    label: Label


class IlbObservation(Answer):
    """How each step of the balancer is known."""

    model_config = ConfigDict(serialize_by_alias=True)

    tick: ToldBy
    idle_entry: ToldBy = Field(description="A CPU stops its tick and enters the idle mask.")
    kick: ToldBy
    passes: ToldBy = Field(alias="pass")


class IlbKicks(Derived):
    """Kicks and what became of them; handled and dropped ones arrived on their target."""

    sent: int
    handled: int
    dropped: int = Field(description="They came, and no softirq was raised.")
    latched: int = Field(description="They were swallowed, because an older one counted as under way.")
    blocked: int = Field(description="Ticks that the first and second pick kept from kicking; 2011 only.")
    not_seen: int
    with_sender: int


class IlbPasses(Answer):
    """Times that one CPU balanced for the others."""

    count: int
    kicked: int = Field(description="A kick asked for it.")
    aborted: int
    migrations: int | None = Field(description="Tasks that they moved; null of a model.")
    label: Label


class StaleNextBalance(Answer):
    """A CPU that stopped its tick though it is to be balanced before `next_balance`."""

    t_ns: MomentNs
    cpu: int
    jiffies: int
    label: Label


class IdleShare(Answer):
    """Idle time of one-second windows, in percent."""

    windows: int
    mean: float
    stdev: float
    min: float
    max: float
    label: Label


class IdleDifference(Answer):
    """Idle time of the trace less that of the samples, in points, in the same windows and measure."""

    mean: float
    largest: float
    by: Literal["ticks", "exact", "dyntick"] = Field(
        description="How the kernel counts idle time, and so how both sides do."
    )
    windows: int
    traced: IdleShare
    counted_percent: float = Field(description="What the samples account for, percent of the time that passed.")
    sentence: str


class WasteStretch(Answer):
    """A time in which idle CPUs with an overdue balance stood beside waiting tasks."""

    from_ns: MomentNs
    to_ns: MomentNs
    cpu_ms: float


class IlbWaste(Answer):
    """Idle CPUs beside waiting tasks: an upper bound of what better kicks could have saved."""

    cpu_ms: float = Field(description="Of idle CPUs whose balance was overdue.")
    beside_waiting_cpu_ms: float = Field(description="Of all idle CPUs.")
    windows: list[WasteStretch] = Field(description="The costliest, by time.")
    label: Label


class IlbModel(Derived):
    """What a version of the balancer would have done with the same ticks, idle times and run queues."""

    name: Model
    kicks: int
    ipis: int
    dropped: int
    latched: int
    passes: int
    gate_closed_ticks: int = Field(description="Ticks with waiting tasks before next_balance.")
    blocked_ticks: int
    stale_most_jiffies: int
    waste_cpu_ms: float


class KickReason(Answer):
    """Why kicks are only on one side."""

    reason: str = Field(examples=["gate_later"], description="A name; more may come.")
    words: str
    observed_only: int
    model_only: int
    both: int
    sentence: str


class KickComparison(Answer):
    """Recorded kicks against the modern model's; the reasons' counts add up to both totals."""

    observed: int
    model: int
    both: int
    reasons: list[KickReason]
    same_flags: int = Field(description="Of the kicks on both sides whose flags are told, those with the same ones.")
    told_flags: int


class IlbEvent(Answer):
    """Something that happened: a kick with what became of it, a pass, a blocked tick, a stale next_balance."""

    t_ns: MomentNs
    kind: Literal["kick_sent", "pass", "pick_blocked", "stale_next_balance"]
    cpu: int | None = Field(description="Null when nothing shows who sent a kick.")
    target: int | None
    fate: Literal["handled", "dropped", "latched", "aborted", "not_seen"] | None
    arrived_ns: MomentNs | None
    handled_ns: MomentNs | None = Field(description="When a kick's softirq was raised; of a pass, when it ended.")
    flags: int | None
    why: str | None = Field(examples=["nr_running"], description="Of a model.")
    jiffies: int | None
    served: int | None = Field(description="Of a pass: CPUs that it balanced for.")
    migrations: int | None
    label: Label


class IdleLane(Answer):
    """When a CPU was in the idle mask."""

    cpu: int
    spans: list[tuple[MomentNs, MomentNs]]


class IlbSection(Section, Derived):
    """The nohz idle load balancer: who was kicked, what came of it, what the wait cost."""

    model: Model
    kernel: str | None = Field(examples=["6.1.0-44-amd64"])
    hz: int
    cpus: int
    observation: IlbObservation
    kicks: IlbKicks
    passes: IlbPasses
    blocked_ticks: int
    stale_next_balance: list[StaleNextBalance] = Field(description="Largest first.")
    idle_percent: IdleShare | None = Field(description="From the trace; null for less than a second.")
    idle_sampled: IdleShare | None = Field(description="From samples of /proc/stat, in the measure of idle_difference.")
    idle_vmstat: IdleShare | None = Field(description="From the same samples, as vmstat prints it.")
    idle_difference: IdleDifference | None
    waste: IlbWaste
    models: list[IlbModel]
    may: list[str] = Field(description="What the models allow to conclude.")
    may_not: list[str]
    comparison: KickComparison | None = Field(description="Null where kicks would not have been recorded.")
    events: list[IlbEvent]
    events_all: int = Field(description="How many there are.")
    idle_mask: list[IdleLane]
    thinned: bool = Field(description="Times in the idle mask that are close to each other are told as one.")
    lost_gaps: int = Field(description="Gaps of lost events in the window.")
