"""From rows and manifests to the shapes of the API."""

from collections.abc import Mapping
from typing import Any, cast

from numalens.api import models
from numalens.jobs.protocol import Step
from numalens.store import schema


def analysis(row: schema.Analysis, access: models.Access, step: Step | None) -> models.Analysis:
    """An analysis as the API tells it."""
    return models.Analysis(
        id=row.id,
        title=row.title,
        status=cast("models.Status", row.status),
        created_at=row.created_at,
        sample=row.sample,
        access=access,
        error=None if row.error is None else models.InputFailure(**row.error),
        progress=None if step is None else models.Progress(stage=step.stage, done=step.done, total=step.total),
        inputs=[_input(entry) for entry in row.inputs],
    )


def detail(
    row: schema.Analysis, access: models.Access, step: Step | None, manifest: Mapping[str, Any] | None
) -> models.AnalysisDetail:
    """An analysis with what its page opens on; `manifest` is None until it is ready."""
    base = analysis(row, access, step)
    return models.AnalysisDetail(**dict(base), timeline=None if manifest is None else _timeline(manifest))


def share(row: schema.Share) -> models.Share:
    """A shared link, without its secret."""
    return models.Share(
        id=row.id,
        view=row.view,
        created_at=row.created_at,
        expires_at=row.expires_at,
        revoked=row.revoked_at is not None,
        opened=row.opened,
    )


def _input(row: schema.Input) -> models.AnalysisInput:
    told = row.summary or {}
    return models.AnalysisInput(
        name=row.name,
        kind=told.get("kind"),
        bytes=row.bytes,
        events=told.get("events"),
        lost_events=told.get("lost_events"),
        lost_marks=told.get("lost_marks"),
        clock=told.get("clock"),
        kernel=told.get("kernel"),
        cpus=told.get("cpus"),
    )


def _timeline(manifest: Mapping[str, Any]) -> models.TimelineInfo:
    topology = manifest["topology"]
    return models.TimelineInfo(
        origin_ns=str(manifest["origin_ns"]),
        end_ns=str(manifest["end_ns"]),
        window_ns=[str(edge) for edge in manifest["window_ns"]],
        nodes=[models.Node(nid=node["nid"], cpus=node["cpus"]) for node in topology["nodes"]],
        topology_source=topology["source"],
        notes=[*manifest["notes"], *topology.get("notes", [])],
        event_counts=manifest["event_counts"],
    )
