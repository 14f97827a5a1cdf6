"""The shapes of the HTTP API. The page's types are generated from them, so names and descriptions are part of it.

Times of the trace are absolute nanoseconds of the recording's own clock and travel as decimal strings: they exceed the
53 bits that a JSON number keeps in a browser.
"""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

NsString = Annotated[str, StringConstraints(pattern=r"^-?[0-9]+$"), Field(examples=["172800000000000"])]
Status = Literal["queued", "parsing", "ready", "failed"]
Access = Literal["owner", "view"]
Title = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200)]


class Answer(BaseModel):
    """Base of what the server tells; fields may be added."""


class Wish(BaseModel):
    """Base of what the server is asked; unknown fields are refused."""

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


class Info(Answer):
    """What this server is, and what the asker may do."""

    version: str
    limits: Limits
    owner: bool = Field(description="True when the asker may upload, delete and share.")


class InputFailure(Answer):
    """Why an analysis failed, and where in which file."""

    sentence: str
    file: str | None = Field(None, description="Name of the input that was refused.")
    offset: int | None = None
    unit: Literal["byte", "line"] | None = None
    expected: str | None = None


class Progress(Answer):
    """How far the current stage is; `total` is 0 while unknown."""

    stage: str = Field(examples=["storing", "decoding", "indexing"])
    done: int
    total: int


class AnalysisInput(Answer):
    """One file of an analysis; what only reading tells is null until then."""

    name: str
    kind: str | None = None
    bytes: int
    events: int | None = None
    lost_events: int | None = Field(None, description="Sum of the losses whose size the kernel told.")
    lost_marks: int | None = Field(None, description="Places where events were lost, sizes told or not.")
    clock: str | None = None
    kernel: str | None = None
    cpus: int | None = None


class Analysis(Answer):
    """One or more recordings, read together."""

    id: str
    title: str
    status: Status
    created_at: datetime
    sample: bool
    access: Access
    error: InputFailure | None = None
    progress: Progress | None = None
    inputs: list[AnalysisInput]


class AnalysisList(Answer):
    """All analyses, newest first."""

    analyses: list[Analysis]


class Node(Answer):
    """A NUMA node and its CPUs, ascending."""

    nid: int
    cpus: list[int]


class TimelineInfo(Answer):
    """What the page needs before its first window query."""

    origin_ns: NsString = Field(description="Time of the first event; the zero of columnar answers.")
    end_ns: NsString
    window_ns: Annotated[list[NsString], Field(min_length=2, max_length=2)] = Field(
        description="The window that all CPUs' buffers have in common."
    )
    nodes: list[Node]
    topology_source: str = Field(description="sidecar, perf, events or assumed.")
    notes: list[str] = Field(description="Assumptions made, to be shown.")
    event_counts: dict[str, int]


class AnalysisDetail(Analysis):
    """An analysis with what its page opens on."""

    timeline: TimelineInfo | None = None


class CreateAnalysis(Wish):
    """Finished uploads that become one analysis."""

    uploads: Annotated[list[str], Field(min_length=1)] = Field(
        description="Upload ids: last path part of their tus Location."
    )
    title: Title | None = Field(None, description="Made from the file names when null.")


class ChangeAnalysis(Wish):
    """The changeable part of an analysis."""

    title: Title


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
    wait_from: Literal["waking", "wakeup", "preempted"] | None = Field(description="What the wait began with.")
    waker_pid: int | None
    waker_comm: str | None
    label: Literal["observed", "replayed", "inferred", "what-if"]


class CreateShare(Wish):
    """A view to be shared."""

    view: Annotated[str, StringConstraints(max_length=8192)] = Field(description="The page's query string.")
    expires_in_s: Annotated[int, Field(ge=1, le=10 * 366 * 86400)] | None = None


class Share(Answer):
    """A shared link, as its owner sees it in the list. The token is told once, at creation."""

    id: str
    view: str
    created_at: datetime
    expires_at: datetime | None
    revoked: bool
    opened: int = Field(description="How many times the link was opened.")


class ShareList(Answer):
    """The links of an analysis, newest first."""

    shares: list[Share]


class CreatedShare(Answer):
    """A new shared link with its secret."""

    id: str
    token: str
    url: str = Field(description="Path of the link, to be put after the page's own origin.")
    created_at: datetime
    expires_at: datetime | None


class OpenShare(Wish):
    """The secret of a shared link."""

    token: Annotated[str, StringConstraints(min_length=1, max_length=200)]


class OpenedShare(Answer):
    """What a shared link opens."""

    analysis_id: str
    view: str
    expires_at: datetime | None


class ProgressEvent(Answer):
    """Data of the server-sent event `progress`."""

    status: Status
    stage: str | None
    done: int
    total: int
