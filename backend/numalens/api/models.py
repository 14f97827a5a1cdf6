"""The shapes of the HTTP API. The page's types are generated from them, so names and descriptions are part of it.

Times of the trace are absolute nanoseconds of the recording's own clock and travel as decimal strings: they exceed the
53 bits that a JSON number keeps in a browser.
"""

from datetime import datetime
from typing import Annotated, Final, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    field_validator,
    model_validator,
)

from numalens.store.names import clean_line, clean_text
from numalens.store.schema import May

NsString = Annotated[str, StringConstraints(pattern=r"^-?[0-9]+$", max_length=20), Field(examples=["172800000000000"])]
MomentNs = Annotated[NsString, BeforeValidator(lambda moment: str(moment) if isinstance(moment, int) else moment)]
"""Reports and manifests have moments as numbers."""
NS_LIMIT: Final = 1 << 63
MOST_SQL: Final = 50_000
"""Characters of a query."""
MOST_SHOWN: Final = 10_000
"""Rows of an answer."""
Cell = str | float | None
"""Value of a row."""


def _shift(text: str) -> str:
    if not -NS_LIMIT <= int(text) < NS_LIMIT:
        raise ValueError("a shift has at most 63 bits and a sign")
    return text


ShiftNs = Annotated[NsString, AfterValidator(_shift)]
Status = Literal["queued", "parsing", "ready", "failed"]
Access = Literal["owner", "view"]
OneLine = BeforeValidator(lambda value: clean_line(value) if isinstance(value, str) else value)
"""Before the constraints of a name: without characters that cannot be shown, or that reorder what stands around them."""
Lines = BeforeValidator(lambda value: clean_text(value) if isinstance(value, str) else value)
"""The same for a text of several lines."""
Title = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200), OneLine]


class Answer(BaseModel):
    """Base of what the server tells; fields may be added."""

    model_config = ConfigDict(from_attributes=True)


class Wish(BaseModel):
    """Base of request bodies; unknown fields are refused."""

    model_config = ConfigDict(extra="forbid")


class ErrorInfo(BaseModel):
    """What went wrong, for people; the other fields are for programs and depend on the error."""

    model_config = ConfigDict(extra="allow")

    sentence: str = Field(description="One sentence: what happened, where, and what was expected.")
    cap: str | None = Field(None, description="Name of the setting whose limit was met.")
    id: str | None = Field(None, description="Number under which the server logged an unexpected error.")


class ErrorBody(BaseModel):
    """The body of every answer with a status of 400 and above."""

    error: ErrorInfo


class Limits(Answer):
    """The caps that this server keeps to."""

    max_upload_bytes: int
    max_files: int
    max_px: int = Field(description="Most pixel columns of one timeline query.")
    max_lanes: int = Field(description="Most lanes of one timeline query.")
    upload_days: float
    keep_days: float | None = Field(description="Days after which analyses that are not kept are deleted; null: never.")


class SignedInPerson(Answer):
    """Who is asking, signed in."""

    name: str = Field(description="E-mail address or user name.")
    admin: bool = Field(description="May do everything with every analysis.")


class Info(Answer):
    """What this server is, and what the asker may do."""

    version: str
    limits: Limits
    owner: bool = Field(description="True when the asker may upload, and delete and share what is theirs.")
    sign_in: Literal["none", "oidc", "header"] = Field(
        description="How people sign in: not at all, by `/sign-in/begin`, or at a proxy before this server."
    )
    person: SignedInPerson | None = Field(description="Null for strangers, links, and where nobody signs in.")
    look_only: bool = Field(
        False, description="Whether a page that can read recordings by itself does so unless its reader says otherwise."
    )


class InputFailure(Answer):
    """Why an analysis failed, and where in which file."""

    sentence: str
    file: str | None = Field(None, description="Name of the input that was refused.")
    offset: int | None = None
    unit: Literal["byte", "line"] | None = None
    expected: str | None = None
    again: bool = Field(
        False,
        description="Nothing is wrong with the files: they can be read again when what the sentence names is mended.",
    )


class Progress(Answer):
    """How far the current stage is; `total` is 0 while unknown."""

    stage: str = Field(examples=["storing", "fetching", "unpacking", "converting", "decoding", "indexing", "keeping"])
    done: int
    total: int
    sentence: str | None = Field(None, description="What is waited for in the stage `away`.")


class SkippedPart(Answer):
    """A part of an input that tolerant reading left out: [from, to) in bytes, or the lines from..to."""

    model_config = ConfigDict(serialize_by_alias=True, validate_by_alias=True, validate_by_name=True)

    first: int = Field(alias="from")
    last: int = Field(alias="to")
    unit: Literal["byte", "line"]
    cpu: int | None = Field(None, description="The CPU whose events are missing, when known.")
    why: str = Field(description="One sentence.")


class Alignment(Answer):
    """How an input's times became times of the analysis, and how far off they may be."""

    method: Literal["reference", "same-clock", "markers", "clock-pairs", "user", "none"] = Field(
        description="`none`: the times cannot be placed, and the owner has to say the shift (see `reread`)."
    )
    clock: str | None = Field(None, description="The clock that the input's own times count.")
    offset_ns: MomentNs | None = Field(None, description="What is added to the input's own times; null when unknown.")
    uncertainty_ns: MomentNs | None = Field(None, description="The true time is at most this far away.")
    drift_ppb: int = Field(
        0, description="How fast the clocks drift apart; the offset holds in the middle of the input."
    )
    evidence: str = Field(description="What the offset was found from, one sentence.")
    label: Literal["observed", "replayed", "inferred"]


class AnalysisInput(Answer):
    """One file of an analysis, or one member of an archive once that was read; what only reading tells is null until then.

    Recordings have `events`, series of samples have `samples`, `rows` and `tables`.
    """

    name: str = Field(description="Shown name: `incident.tgz/trace.dat` for a member of an archive.")
    kind: str | None = Field(None, examples=["trace.dat", "perf.data", "ftrace-text", "perfetto", "psi", "topology"])
    bytes: int
    events: int | None = None
    samples: int | None = Field(None, description="Moments at which samples were taken.")
    rows: int | None = Field(None, description="Rows of all sample tables.")
    tables: dict[str, int] = Field(default_factory=dict, description="Rows per sample table.")
    lost_events: int | None = Field(None, description="Sum of the losses whose size the kernel recorded.")
    lost_marks: int | None = Field(None, description="Places where events were lost, sizes known or not.")
    clock: str | None = None
    kernel: str | None = None
    cpus: int | None = None
    resolution_ns: int | None = Field(None, description="The step in which the times of events or samples are given.")
    skipped_count: int = Field(0, description="Parts that tolerant reading left out.")
    skipped: list[SkippedPart] = Field(default_factory=list, description="The first 20 of them.")
    alignment: Alignment | None = None
    facts: dict[str, str] = Field(default_factory=dict, description="What the file says about itself.")


class Analysis(Answer):
    """One or more recordings and series of samples, read together.

    Status and progress are those of the latest reading. While files are read again the result of the reading before stays
    in use, and it is kept when the new one fails: then the status is `ready` and `error` says why.
    """

    id: str
    title: str
    status: Status
    created_at: datetime
    sample: bool
    description: str
    tags: list[str] = Field(description="Empty for who has only a link.")
    incident: str | None = Field(description="What several analyses are about together; null for who has only a link.")
    keep: bool = Field(description="The rule of retention leaves it alone.")
    access: Access
    may: list[May] = Field(description="What the asker may do besides looking; an owner may do everything.")
    owners: list[str] = Field(
        description="Names of who owns it; none: the administrators, or the asker has only a link and does not see it."
    )
    handed_over: bool = Field(description="The asker handed it over and may take it back.")
    error: InputFailure | None = None
    progress: Progress | None = None
    tolerant: bool = Field(description="Read in spite of damage: what cannot be read is skipped and listed.")
    offsets: dict[str, NsString] = Field(
        description="Shifts that the owner gave: shown name of an input to the ns added to its own times."
    )
    rereadable: bool = Field(description="False when the files are not kept here, so that they cannot be read again.")
    inputs: list[AnalysisInput]


class AnalysisList(Answer):
    """The analyses that the asker owns or may read, newest first."""

    analyses: list[Analysis]


class Node(Answer):
    """A NUMA node and its CPUs, ascending."""

    nid: int
    cpus: list[int]


class SampleTable(Answer):
    """A table of samples; its rows are at `samples/{table}`."""

    table: str = Field(examples=["psi", "vmstat", "numa_group"])
    rows: int
    placed: int = Field(description="Rows whose time on the analysis's clock is known.")
    from_ns: MomentNs | None = Field(description="Time of the first placed row; null when there is none.")
    to_ns: MomentNs | None


class ReferenceClock(Answer):
    """The clock of the analysis: all times are on it."""

    input: int = Field(description="Position of the input whose clock it is.")
    clock: str | None


class TimelineInfo(Answer):
    """What the page needs before its first window query."""

    origin_ns: MomentNs = Field(description="Time of the first event; the zero of columnar answers.")
    end_ns: MomentNs
    window_ns: Annotated[list[MomentNs], Field(min_length=2, max_length=2)] = Field(
        description="The window that all CPUs' buffers have in common."
    )
    nodes: list[Node]
    llcs: list[list[int]] = Field(description="CPUs below each last-level cache; empty where it is not recorded.")
    topology_source: str = Field(description="sidecar, perf, events or assumed.")
    wall_offset_ns: NsString | None = Field(
        None, description="Ns from a time here to the machine's wall clock; null when nothing recorded has both."
    )
    notes: list[str] = Field(description="Assumptions made, to be shown.")
    event_counts: dict[str, int]
    samples: list[SampleTable]
    reference: ReferenceClock | None = None


class AnalysisDetail(Analysis):
    """An analysis with what its page opens on."""

    timeline: TimelineInfo | None = Field(
        None, description="Null until a reading has succeeded; of the reading before while files are read again."
    )


class CreateAnalysis(Wish):
    """Finished uploads that become one analysis."""

    uploads: Annotated[list[str], Field(min_length=1)] = Field(
        description="Upload ids: last path part of their tus Location."
    )
    title: Title | None = Field(None, description="Made from the file names when null.")
    tolerant: bool = Field(False, description="Skip what is damaged instead of failing, and tell what was skipped.")


class RereadAnalysis(Wish):
    """How to read an analysis's files again; what is left out stays as it was."""

    tolerant: bool | None = None
    offsets: dict[str, ShiftNs] | None = Field(
        None,
        max_length=1000,
        description="Shown name of an input to the ns to be added to its own times; replaces all earlier ones.",
    )


def _distinct(tags: list[str]) -> list[str]:
    """Each tag once, in the order of the first ones."""
    return list(dict.fromkeys(tags))


Tag = Annotated[str, StringConstraints(strip_whitespace=True, to_lower=True, pattern=r"^[^,\s]{1,40}$"), OneLine]
Tags = Annotated[list[Tag], AfterValidator(_distinct), Field(max_length=20, examples=[["storage", "p99"]])]
Description = Annotated[str, StringConstraints(strip_whitespace=True, max_length=10_000), Lines]
Incident = Annotated[str, StringConstraints(strip_whitespace=True, max_length=120), OneLine]


class ChangeAnalysis(Wish):
    """What is to be different about an analysis; what is left out stays."""

    title: Title | None = None
    description: Description | None = None
    tags: Tags | None = None
    incident: Incident | None = Field(
        None, description="What several analyses are about together; empty takes it away."
    )
    keep: bool | None = Field(None, description="Whether the rule of retention leaves it alone.")


class CreateCopy(Wish):
    """What a copy of an analysis is to have."""

    title: Title | None = None
    from_ns: NsString | None = None
    to_ns: NsString | None = Field(None, description="The last moment that it has.")
    tasks: Annotated[list[Annotated[int, Field(ge=0, lt=1 << 31)]], Field(min_length=1, max_length=1000)] | None = (
        Field(
            None,
            description="Numbers of threads; of the others' events only that they had a CPU is left, under one name. Samples of"
            " cgroups and of the whole machine stay. Null: all.",
        )
    )
    pseudonyms: bool = Field(
        False,
        description="Names of tasks, cgroups, files and machines become numbers; kernel threads keep their names.",
    )

    @model_validator(mode="after")
    def some_time(self) -> Self:
        """Raises ValueError for a stretch that ends before it begins."""
        if self.from_ns is not None and self.to_ns is not None and int(self.to_ns) < int(self.from_ns):
            raise ValueError("to_ns is before from_ns")
        if any(stamp is not None and not 0 <= int(stamp) < NS_LIMIT for stamp in (self.from_ns, self.to_ns)):
            raise ValueError("a moment has at most 63 bits")
        return self


class Slice(Answer):
    """One stay of a task on a CPU."""

    cpu: int
    nid: int | None
    task: int = Field(description="Row of the task table.")
    pid: int
    comm: str
    prio: int = Field(description="As the kernel counts: 120 is nice 0.")
    start_ns: NsString
    end_ns: NsString
    duration_ns: NsString
    start_known: bool = Field(description="False when the switch to the task was not recorded.")
    end_known: bool
    end_state: str | None = Field(description="State in which the task left: S, R+, D, ...")
    prev_pid: int | None
    prev_comm: str | None
    next_pid: int | None
    next_comm: str | None
    waking_ns: NsString | None
    wait_ns: NsString | None = Field(description="How long the task waited for the CPU.")
    wait_from: Literal["waking", "wakeup", "preempted", "new", "resumed"] | None = Field(
        description="What the wait began with."
    )
    waker_pid: int | None
    waker_comm: str | None
    label: Literal["observed", "replayed", "inferred", "what-if"]


class ProgressEvent(Answer):
    """Data of the server-sent event `progress`."""

    status: Status
    stage: str | None
    done: int
    total: int
    sentence: str | None = Field(None, description="What is waited for in the stage `away`.")


class EventRow(Answer):
    """One recorded event."""

    ts_ns: NsString
    cpu: int
    system: str
    event: str
    input: int = Field(description="Position among the inputs.")
    fields: list[tuple[str, str]] = Field(description="Name and text of each field that has a value.")


class EventPage(Answer):
    """Some of the events that a filter means."""

    events: list[EventRow]
    matched: int = Field(description="All events of the window that are meant, on this page or not.")
    next_page: str | None = Field(
        None, validation_alias="next", description="Give it as `after` for the next page; null behind the last event."
    )

    @field_validator("next_page", mode="before")
    @classmethod
    def _join(cls, key: object) -> object:
        """The engine tells the place of the last event as three numbers."""
        return ".".join(map(str, key)) if isinstance(key, list) else key
