"""From rows and manifests to the shapes of the API."""

from collections.abc import Iterable, Mapping
from typing import Any, Final, cast

from numalens.api import models, note_models, report_models, share_models, user_models
from numalens.jobs.protocol import Step
from numalens.store import schema
from numalens.store.analyses import has_files
from numalens.store.options import ReadOptions
from numalens.store.reports import Kept

EVERYTHING: Final[tuple[models.May, ...]] = ("comment", "download")


def analysis(
    row: schema.Analysis,
    access: models.Access,
    step: Step | None,
    may: Iterable[models.May] = EVERYTHING,
    *,
    person_id: str | None = None,
    linked: bool = False,
) -> models.Analysis:
    """An analysis as the API shows it to somebody who may look at it and do what `may` says.

    `person_id`: the requester, `linked`: by a link alone, so that users are not shown.
    """
    options = ReadOptions.of(row.wanted or row.options)
    return models.Analysis(
        id=row.id,
        title=row.title,
        status=cast("models.Status", row.status),
        created_at=row.created_at,
        sample=row.sample,
        description=row.description,
        # How an owner files things is nobody else's.
        tags=row.tags if access == "owner" else [],
        incident=row.incident if access == "owner" else None,
        keep=row.keep,
        access=access,
        may=sorted(may),
        owners=[] if linked else [member.person.name for member in row.members if member.role == "owner"],
        handed_over=any(member.person_id == person_id and member.handed_to is not None for member in row.members),
        error=None if row.error is None else models.InputFailure(**row.error),
        progress=None
        if step is None
        else models.Progress(stage=step.stage, done=step.done, total=step.total, sentence=step.sentence),
        tolerant=options.tolerant,
        offsets={name: str(shift) for name, shift in options.offsets.items()},
        rereadable=has_files(row),
        inputs=_inputs(row),
    )


def detail(
    row: schema.Analysis,
    access: models.Access,
    step: Step | None,
    manifest: Mapping[str, Any] | None,
    may: Iterable[models.May] = EVERYTHING,
    *,
    person_id: str | None = None,
    linked: bool = False,
) -> models.AnalysisDetail:
    """An analysis with what its page opens on; `manifest` is None until it is ready."""
    base = analysis(row, access, step, may, person_id=person_id, linked=linked)
    return models.AnalysisDetail(**dict(base), timeline=None if manifest is None else _timeline(manifest))


def share(row: schema.Share) -> share_models.Share:
    """A shared link, without its secret."""
    return share_models.Share(
        id=row.id,
        name=row.name,
        view=row.view,
        may=allowed(row),
        created_at=row.created_at,
        expires_at=row.expires_at,
        revoked=row.revoked_at is not None,
        opened=row.opened,
        last_opened_at=row.last_opened_at,
    )


def shared(row: schema.Share) -> share_models.SharedAnalysis:
    """A shared link with its analysis, which must be loaded."""
    return share_models.SharedAnalysis(
        **dict(share(row)), analysis_id=row.analysis_id, analysis_title=row.analysis.title
    )


def allowed(row: schema.Share) -> list[models.May]:
    """What a link allows besides looking."""
    granted: tuple[tuple[models.May, bool], ...] = (("comment", row.comment), ("download", row.download))
    return [right for right, given in granted if given]


def allowed_reader(row: schema.Member) -> list[models.May]:
    """What a named reader may do besides looking."""
    return ["comment", "download"] if row.download else ["comment"]


def member(row: schema.Member, asker_id: str | None) -> user_models.Member:
    """An owner or reader, with their person loaded."""
    return user_models.Member(
        id=row.person_id,
        name=row.person.name,
        role=cast("user_models.Role", row.role),
        download=row.download,
        you=row.person_id == asker_id,
        since=row.created_at,
    )


def note(row: schema.Note, asker_id: str | None = None) -> note_models.Note:
    """A note, without its author's secret. `asker_id`: the user who makes the request."""
    return note_models.Note(
        id=row.id,
        parent_id=row.parent_id,
        author=row.author,
        text=row.text,
        place=None if row.about is None else note_models.NotePlace(**row.about),
        by_owner=row.by_owner,
        vouched=row.person_id is not None,
        yours=asker_id is not None and row.person_id == asker_id,
        created_at=row.created_at,
        changed_at=row.changed_at,
    )


def report(kept: Kept) -> report_models.WrittenReport:
    """A report with its words."""
    return report_models.WrittenReport(**dict(listed_report(kept)), text=kept.words.text)


def listed_report(kept: Kept) -> report_models.ListedReport:
    """A report without its words."""
    return report_models.ListedReport(
        id=kept.report.id,
        title=kept.words.title,
        revision=kept.words.number,
        created_at=kept.report.created_at,
        changed_at=kept.words.created_at,
    )


def revision(row: schema.ReportRevision) -> report_models.Revision:
    """A revision with its words."""
    return report_models.Revision(**dict(listed_revision(row)), text=row.text)


def listed_revision(row: schema.ReportRevision) -> report_models.ListedRevision:
    """A revision without its words."""
    return report_models.ListedRevision(
        number=row.number, title=row.title, aside=row.aside, saved_at=row.created_at, length=len(row.text)
    )


def _inputs(row: schema.Analysis) -> list[models.AnalysisInput]:
    """What was read, in order; the files themselves until something was."""
    if row.input_summaries is not None:
        return [_read_input(entry) for entry in row.input_summaries]
    return [models.AnalysisInput(name=entry.name, bytes=entry.bytes) for entry in row.inputs]


def _read_input(entry: Mapping[str, Any]) -> models.AnalysisInput:
    skipped = entry.get("skipped") or []
    alignment = entry.get("alignment")
    resolution = entry.get("resolution_ns")
    return models.AnalysisInput(
        name=entry["name"],
        kind=entry["kind"],
        bytes=entry["bytes"],
        events=entry.get("events"),
        samples=entry.get("samples"),
        rows=entry.get("rows"),
        tables=entry.get("tables") or {},
        lost_events=entry.get("lost_events"),
        lost_marks=entry.get("lost_marks"),
        clock=entry.get("clock"),
        kernel=entry.get("kernel"),
        cpus=entry.get("cpus"),
        resolution_ns=entry.get("stamp_resolution_ns") if resolution is None else resolution,
        skipped_count=len(skipped) + int(entry.get("skipped_more") or 0),
        skipped=[models.SkippedPart.model_validate(part) for part in skipped],
        alignment=None if alignment is None else _alignment(alignment),
        facts=entry.get("facts") or {},
    )


def _alignment(entry: Mapping[str, Any]) -> models.Alignment:
    return models.Alignment(
        method=entry["method"],
        clock=entry["clock"],
        offset_ns=_ns(entry["offset_ns"]),
        uncertainty_ns=_ns(entry["uncertainty_ns"]),
        drift_ppb=entry.get("drift_ppb") or 0,
        evidence=entry["evidence"],
        label=entry["label"],
    )


def _ns(value: int | None) -> str | None:
    return None if value is None else str(value)


def _timeline(manifest: Mapping[str, Any]) -> models.TimelineInfo:
    topology = manifest["topology"]
    reference = manifest.get("reference")
    return models.TimelineInfo(
        origin_ns=str(manifest["origin_ns"]),
        end_ns=str(manifest["end_ns"]),
        window_ns=[str(edge) for edge in manifest["window_ns"]],
        nodes=[models.Node(nid=node["nid"], cpus=node["cpus"]) for node in topology["nodes"]],
        topology_source=topology["source"],
        notes=manifest["notes"],
        event_counts=manifest["event_counts"],
        samples=[_sample_table(table) for table in manifest.get("samples", [])],
        reference=None if reference is None else models.ReferenceClock(**reference),
    )


def _sample_table(entry: Mapping[str, Any]) -> models.SampleTable:
    return models.SampleTable(
        table=entry["table"],
        rows=entry["rows"],
        placed=entry["placed"],
        from_ns=_ns(entry["from_ns"]),
        to_ns=_ns(entry["to_ns"]),
    )
