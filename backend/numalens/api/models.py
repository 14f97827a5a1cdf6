"""The shapes of the HTTP API. The page's types are generated from them, including names and descriptions.

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
        raise ValueError("an offset has at most 63 bits and a sign")
    return text


ShiftNs = Annotated[NsString, AfterValidator(_shift)]
Status = Literal["queued", "parsing", "ready", "failed"]
Access = Literal["owner", "view"]
OneLine = BeforeValidator(lambda value: clean_line(value) if isinstance(value, str) else value)
"""Before the constraints of a name: removes characters that cannot be shown, or that reorder their surroundings."""
Lines = BeforeValidator(lambda value: clean_text(value) if isinstance(value, str) else value)
"""The same for a text of several lines."""
Title = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200), OneLine]


class Answer(BaseModel):
    """Base of the server's answers; fields may be added."""

    model_config = ConfigDict(from_attributes=True)


class Wish(BaseModel):
    """Base of request bodies; unknown fields are refused."""

    model_config = ConfigDict(extra="forbid")


class ErrorInfo(BaseModel):
    """Error for users; the other fields are for programs and depend on the error."""

    model_config = ConfigDict(extra="allow")

    sentence: str = Field(description="Message: what happened, where, and what was expected.")
    cap: str | None = Field(None, description="Name of the setting whose limit was reached.")
    id: str | None = Field(None, description="Number under which the server logged an unexpected error.")


class ErrorBody(BaseModel):
    """The body of every answer with a status of 400 and above."""

    error: ErrorInfo


class Limits(Answer):
    """Limits of this server."""

    max_upload_bytes: int
    max_files: int
    max_px: int = Field(description="Maximum number of pixel columns of one timeline query.")
    max_lanes: int = Field(description="Maximum number of lanes of one timeline query.")
    upload_days: float
    keep_days: float | None = Field(description="Days after which analyses that are not kept are deleted; null: never.")


class SignedInPerson(Answer):
    """Signed-in user of the client."""

    name: str = Field(description="E-mail address or user name.")
    admin: bool = Field(description="True for an administrator, who may do everything with every analysis.")


class Info(Answer):
    """Version of this server, and rights of the client."""

    version: str
    limits: Limits
    owner: bool = Field(description="True if the client may upload, and delete and share its own analyses.")
    sign_in: Literal["none", "oidc", "header"] = Field(
        description="Sign-in mode: none, by `/sign-in/begin`, or at a proxy in front of this server."
    )
    person: SignedInPerson | None = Field(
        description="Null without sign-in, for share links, and on servers without sign-in."
    )
    look_only: bool = Field(
        False, description="True if the page reads recordings in the browser by default, where it can."
    )


class InputFailure(Answer):
    """Reason and place of a failed import."""

    sentence: str
    file: str | None = Field(None, description="Name of the input that was refused.")
    offset: int | None = None
    unit: Literal["byte", "line"] | None = None
    expected: str | None = None
    again: bool = Field(
        False,
        description="The files are fine: they can be imported again once the problem in the message is fixed.",
    )


class Progress(Answer):
    """Progress of the current stage; `total` is 0 while unknown."""

    stage: str = Field(examples=["storing", "fetching", "unpacking", "converting", "decoding", "indexing", "keeping"])
    done: int
    total: int
    sentence: str | None = Field(None, description="Unavailable service, in the stage `away`.")


class SkippedPart(Answer):
    """A part of an input that tolerant reading left out: [from, to) in bytes, or the lines from..to."""

    model_config = ConfigDict(serialize_by_alias=True, validate_by_alias=True, validate_by_name=True)

    first: int = Field(alias="from")
    last: int = Field(alias="to")
    unit: Literal["byte", "line"]
    cpu: int | None = Field(None, description="The CPU whose events are missing, when known.")
    why: str = Field(description="One sentence.")


class Alignment(Answer):
    """Alignment of an input's times with the analysis, and its uncertainty."""

    method: Literal["reference", "same-clock", "markers", "clock-pairs", "user", "none"] = Field(
        description="`none`: the times cannot be aligned, and the owner must set an offset (see `reread`)."
    )
    clock: str | None = Field(None, description="Clock of the input's own times.")
    offset_ns: MomentNs | None = Field(None, description="Offset added to the input's own times; null if unknown.")
    uncertainty_ns: MomentNs | None = Field(None, description="Uncertainty: maximum distance of the true time.")
    drift_ppb: int = Field(0, description="Drift between the clocks; the offset holds in the middle of the input.")
    evidence: str = Field(description="Evidence for the offset, one sentence.")
    label: Literal["observed", "replayed", "inferred"]


class AnalysisInput(Answer):
    """One file of an analysis, or one imported member of an archive; fields from the import are null until then.

    Recordings have `events`, series of samples have `samples`, `rows` and `tables`.
    """

    name: str = Field(description="Shown name: `incident.tgz/trace.dat` for a member of an archive.")
    kind: str | None = Field(None, examples=["trace.dat", "perf.data", "ftrace-text", "perfetto", "psi", "topology"])
    bytes: int
    events: int | None = None
    samples: int | None = Field(None, description="Number of sampling times.")
    rows: int | None = Field(None, description="Rows of all sample tables.")
    tables: dict[str, int] = Field(default_factory=dict, description="Rows per sample table.")
    lost_events: int | None = Field(None, description="Sum of the losses with a recorded size.")
    lost_marks: int | None = Field(None, description="Number of places with lost events, with or without a known size.")
    clock: str | None = None
    kernel: str | None = None
    cpus: int | None = None
    resolution_ns: int | None = Field(None, description="Resolution of the times of events or samples.")
    skipped_count: int = Field(0, description="Number of damaged parts left out.")
    skipped: list[SkippedPart] = Field(default_factory=list, description="The first 20 damaged parts.")
    alignment: Alignment | None = None
    facts: dict[str, str] = Field(default_factory=dict, description="Metadata of the file.")


class Analysis(Answer):
    """One or more recordings and series of samples, read together.

    Status and progress are those of the latest import. While files are imported again, the previous result stays in use, and it
    is kept when the new import fails: then the status is `ready` and `error` has the reason.
    """

    id: str
    title: str
    status: Status
    created_at: datetime
    sample: bool
    description: str
    tags: list[str] = Field(description="Empty for clients with only a link.")
    incident: str | None = Field(description="Incident shared by several analyses; null for clients with only a link.")
    keep: bool = Field(description="Exempt from the retention rule.")
    access: Access
    may: list[May] = Field(description="Rights of the client besides viewing; an owner may do everything.")
    owners: list[str] = Field(
        description="Names of the owners; empty: the administrators own it, or the client has only a link."
    )
    handed_over: bool = Field(description="The client transferred it and may reclaim it.")
    error: InputFailure | None = None
    progress: Progress | None = None
    tolerant: bool = Field(description="Read despite damage: unreadable parts are skipped and listed.")
    offsets: dict[str, NsString] = Field(
        description="Offsets set by the owner: shown name of an input to the ns added to its own times."
    )
    rereadable: bool = Field(description="False if the files are not kept here, so they cannot be imported again.")
    inputs: list[AnalysisInput]


class AnalysisList(Answer):
    """The analyses that the user owns or may read, newest first."""

    analyses: list[Analysis]


class Node(Answer):
    """A NUMA node and its CPUs, ascending."""

    nid: int
    cpus: list[int]


class SampleTable(Answer):
    """A table of samples; its rows are at `samples/{table}`."""

    table: str = Field(examples=["psi", "vmstat", "numa_group"])
    rows: int
    placed: int = Field(description="Number of rows with a known time on the analysis's clock.")
    from_ns: MomentNs | None = Field(description="Time of the first aligned row; null if there is none.")
    to_ns: MomentNs | None


class ReferenceClock(Answer):
    """The clock of the analysis: all times are on it."""

    input: int = Field(description="Position of the input that has this clock.")
    clock: str | None


class TimelineInfo(Answer):
    """Data that the page needs before its first window query."""

    origin_ns: MomentNs = Field(description="Time of the first event; origin of columnar answers.")
    end_ns: MomentNs
    window_ns: Annotated[list[MomentNs], Field(min_length=2, max_length=2)] = Field(
        description="Window for which all CPUs have events."
    )
    nodes: list[Node]
    llcs: list[list[int]] = Field(description="CPUs below each last-level cache; empty if not recorded.")
    topology_source: str = Field(description="sidecar, perf, events or assumed.")
    wall_offset_ns: NsString | None = Field(
        None, description="Offset in ns from these times to the machine's wall clock; null if not recorded."
    )
    notes: list[str] = Field(description="Assumptions, to be shown.")
    event_counts: dict[str, int]
    samples: list[SampleTable]
    reference: ReferenceClock | None = None


class AnalysisDetail(Analysis):
    """An analysis with what its page opens on."""

    timeline: TimelineInfo | None = Field(
        None,
        description="Null until an import has succeeded; while files are imported again, that of the previous import.",
    )


class FileStart(Wish):
    """Start of a file that is to be uploaded."""

    name: Annotated[str, StringConstraints(max_length=1000)]
    bytes: Annotated[int, Field(ge=0)] = Field(description="Size of the whole file.")
    head: Annotated[str, Field(max_length=100_000)] = Field(description="First bytes, base64.")


class FileStarts(Wish):
    """Files that are to be uploaded together."""

    files: Annotated[list[FileStart], Field(min_length=1, max_length=1000)]


class RefusedFiles(Answer):
    """Files that cannot be read, before they are uploaded."""

    refused: list[str | None] = Field(description="By file: why it cannot be read; null for the others.")


class CreateAnalysis(Wish):
    """Finished uploads that become one analysis."""

    uploads: Annotated[list[str], Field(min_length=1)] = Field(
        description="Upload ids: last path part of their tus Location."
    )
    title: Title | None = Field(None, description="Default: built from the file names.")
    tolerant: bool = Field(False, description="Skip damaged parts instead of failing, and list them.")


class RereadAnalysis(Wish):
    """Options for importing an analysis's files again; missing fields keep their values."""

    tolerant: bool | None = None
    offsets: dict[str, ShiftNs] | None = Field(
        None,
        max_length=1000,
        description="Shown name of an input to the ns to be added to its own times; replaces all earlier ones.",
    )
    uploads: list[str] = Field([], description="Finished uploads to be added to its files.")


def _distinct(tags: list[str]) -> list[str]:
    """Each tag once, in the order of the first ones."""
    return list(dict.fromkeys(tags))


Tag = Annotated[str, StringConstraints(strip_whitespace=True, to_lower=True, pattern=r"^[^,\s]{1,40}$"), OneLine]
Tags = Annotated[list[Tag], AfterValidator(_distinct), Field(max_length=20, examples=[["storage", "p99"]])]
Description = Annotated[str, StringConstraints(strip_whitespace=True, max_length=10_000), Lines]
Incident = Annotated[str, StringConstraints(strip_whitespace=True, max_length=120), OneLine]


class ChangeAnalysis(Wish):
    """Changes of an analysis; missing fields keep their values."""

    title: Title | None = None
    description: Description | None = None
    tags: Tags | None = None
    incident: Incident | None = Field(None, description="Incident shared by several analyses; empty removes it.")
    keep: bool | None = Field(None, description="True exempts it from the retention rule.")


class CreateCopy(Wish):
    """Contents of a copy of an analysis."""

    title: Title | None = None
    from_ns: NsString | None = None
    to_ns: NsString | None = Field(None, description="Last time of the copy.")
    tasks: Annotated[list[Annotated[int, Field(ge=0, lt=1 << 31)]], Field(min_length=1, max_length=1000)] | None = (
        Field(
            None,
            description="Thread ids to keep. Other threads keep only their CPU time, under one name. "
            "Samples of cgroups and of the whole machine stay. Null: all.",
        )
    )
    pseudonyms: bool = Field(
        False,
        description="Names of tasks, cgroups, files and machines become numbers; kernel threads keep their names.",
    )

    @model_validator(mode="after")
    def some_time(self) -> Self:
        """Raises ValueError for a time range that ends before it begins."""
        if self.from_ns is not None and self.to_ns is not None and int(self.to_ns) < int(self.from_ns):
            raise ValueError("to_ns is before from_ns")
        if any(stamp is not None and not 0 <= int(stamp) < NS_LIMIT for stamp in (self.from_ns, self.to_ns)):
            raise ValueError("a time has at most 63 bits")
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
    end_state: str | None = Field(description="State of the task when it left the CPU: S, R+, D, ...")
    prev_pid: int | None
    prev_comm: str | None
    next_pid: int | None
    next_comm: str | None
    waking_ns: NsString | None
    wait_ns: NsString | None = Field(description="How long the task waited for the CPU.")
    wait_from: Literal["waking", "wakeup", "preempted", "new", "resumed"] | None = Field(
        description="Event that started the wait."
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
    sentence: str | None = Field(None, description="Unavailable service, in the stage `away`.")


class EventRow(Answer):
    """One recorded event."""

    ts_ns: NsString
    cpu: int
    system: str
    event: str
    input: int = Field(description="Position among the inputs.")
    fields: list[tuple[str, str]] = Field(description="Name and text of each field with a value.")


class EventPage(Answer):
    """Some of the events that match a filter."""

    events: list[EventRow]
    matched: int = Field(description="All matching events of the window, on this page or not.")
    next_page: str | None = Field(
        None, validation_alias="next", description="Value of `after` for the next page; null after the last event."
    )

    @field_validator("next_page", mode="before")
    @classmethod
    def _join(cls, key: object) -> object:
        """The engine gives the position of the last event as three numbers."""
        return ".".join(map(str, key)) if isinstance(key, list) else key
