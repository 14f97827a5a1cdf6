"""Puts the comparison together."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal

import numalens_native

from numalens.report.build import Unavailable, missing
from numalens.report.compare.decisions import compared_decisions
from numalens.report.compare.gather import Gathered, Recording, Steps, gather, key_of, shared_steps
from numalens.report.compare.shapes import (
    SCHEMA,
    ComparedAnalysis,
    ComparedFindings,
    ComparedHistogram,
    ComparedSamples,
    ComparedSide,
    ComparedUtilisation,
    Comparison,
    FindingHere,
    FindingKind,
    FindingSide,
    LatencyBins,
    Shape,
)
from numalens.report.compare.warnings import identity, warnings

MAX_ANALYSES: Final = 16
SEVERITIES: Final = ("high", "medium", "low")
HERE: Final = ("from_ns", "to_ns", "impact_ms", "summary", "nodes", "pids")


def build_comparison(
    sides: Sequence[tuple[str, Sequence[Recording]]],
    base: int = 0,
    step_ns: int | None = None,
    *,
    decisions: bool = False,
    browser: bool = False,
) -> Comparison:
    """Compares sides, each a name and its runs, with the one at `base`; `step_ns` is that of the utilisation tables."""
    recordings = [recording for _, runs in sides for recording in runs]
    steps = shared_steps(recordings, step_ns)
    runs = gather([runs for _, runs in sides], steps, decisions)
    by_side = [[run for run in runs if run.side == side] for side in range(len(sides))]
    samples = _samples(by_side, steps)
    titles = distinct([run.recording.title for run in runs], [_facts(run) for run in runs])
    names = distinct([name for name, _ in sides], [_facts(own[0]) for own in by_side])
    return {
        "schema": SCHEMA,
        "base": base,
        "sides": [_side(at, name, runs) for at, name in enumerate(names)],
        "analyses": [_analysis(run, title) for run, title in zip(runs, titles, strict=True)],
        "warnings": warnings(runs, steps),
        "step_ns": steps.table,
        "samples": samples,
        "utilisation": [_utilisation(run) for run in runs],
        "latency": _bins(runs),
        "tables": tables(by_side, base, samples["by"]),
        "findings": _findings(runs, by_side),
        "decisions": compared_decisions(by_side, base, samples["by"], browser=browser) if decisions else None,
    }


def tables(sides: Sequence[Sequence[Gathered]], base: int, by: Literal["windows", "runs"]) -> list[Shape]:
    """The engine's tables; a figure that no side has is left out."""
    query = {"by": by, "base": base, "sides": [[run.metrics for run in runs] for runs in sides]}
    compared: list[Shape] = json.loads(numalens_native.compare_metrics(json.dumps(query)))
    return compared


def distinct(names: Sequence[str], facts: Sequence[Sequence[str]]) -> list[str]:
    """The names; those of several with the first fact that none of the others has."""

    def suffix(at: int) -> str:
        alike = [own for name, own in zip(names, facts, strict=True) if name == names[at]]
        if len(alike) == 1:
            return ""
        own = (fact for place, fact in enumerate(facts[at]) if sum(other[place] == fact for other in alike) == 1)
        return next((f" ({fact})" for fact in own), "")

    return [name + suffix(at) for at, name in enumerate(names)]


def _facts(run: Gathered) -> tuple[str, ...]:
    section, (first, last) = identity(run), run.recording.window
    return (
        ", ".join(entry["name"] for entry in run.recording.manifest["inputs"]),
        str(section["kernel"]),
        f"{first / 1e9:.3f} to {last / 1e9:.3f} s",
        f"{section['events']} events",
        str(run.recording.id),
    )


def _side(at: int, name: str, runs: Sequence[Gathered]) -> ComparedSide:
    return {"key": key_of(at), "name": name, "analyses": [here for here, run in enumerate(runs) if run.side == at]}


def _samples(sides: Sequence[Sequence[Gathered]], steps: Steps) -> ComparedSamples:
    by: Literal["windows", "runs"] = "runs" if all(len(runs) > 1 for runs in sides) else "windows"
    step = f"{steps.samples / 1e9:g} s"
    sentence = (
        f"One value for each run: the mean of its windows of {step}."
        if by == "runs"
        else f"One value for each window of {step}. Windows of one run are not "
        f"independent, so a star is weaker evidence than one over several runs."
    )
    return {"by": by, "step_ns": steps.samples, "sentence": sentence}


def _analysis(run: Gathered, title: str) -> ComparedAnalysis:
    recording, section = run.recording, identity(run)
    topology = recording.manifest["topology"]
    return {
        "key": run.key,
        "id": recording.id,
        "title": title,
        "side": run.side,
        "inputs": [entry["name"] for entry in recording.manifest["inputs"]],
        "kernel": section["kernel"],
        "cpus": section["cpus"],
        "nodes": [{"nid": node["nid"], "cpus": node["cpus"]} for node in topology["nodes"]],
        "topology_source": topology["source"],
        "clock": section["clock"],
        "hz": section["hz"],
        "hz_label": section["hz_label"],
        "window_ns": list(recording.window),
        "length_ns": recording.length_ns,
        "events": section["events"],
        "lost_events": section["lost_events"],
        "lost_marks": section["lost_marks"],
        "degree": run.section("cling").get("degree"),
        "rules": (run.section("balancing").get("rules") or {}).get("name"),
    }


def _utilisation(run: Gathered) -> ComparedUtilisation | Unavailable:
    section = run.section("utilisation")
    if not run.has("utilisation"):
        return missing(section["reason"])
    return {
        "available": True,
        "nodes": [{name: node[name] for name in ("nid", "percent", "average")} for node in section["nodes"]],  # type: ignore[misc]
        "label": section["label"],
        "missing": section["missing"],
    }


def _bins(runs: Sequence[Gathered]) -> LatencyBins:
    edges: list[int] = next((run.section("waits")["histogram"]["edges_ns"] for run in runs if run.has("waits")), [])
    return {"edges_ns": edges, "analyses": [_histogram(run) for run in runs]}


def _histogram(run: Gathered) -> ComparedHistogram | Unavailable:
    section = run.section("waits")
    if not run.has("waits"):
        return missing(section["reason"])
    return {
        "available": True,
        "counts": section["histogram"]["counts"],
        "percent": section["histogram"]["percent"],
        "at_most_percent": section["histogram"]["at_most_percent"],
        "wakeups": section["wakeups"],
        "label": section["label"],
        "missing": section["missing"],
    }


def _findings(runs: Sequence[Gathered], sides: Sequence[Sequence[Gathered]]) -> ComparedFindings:
    absent = [
        None if any(run.has("findings") for run in side) else str(side[0].section("findings")["reason"])
        for side in sides
    ]
    # In the order of the engine's ranking.
    names = dict.fromkeys(found["id"] for run in runs for found in _found(run))
    kinds = [_kind(name, runs, sides, absent) for name in names]
    return {"kinds": sorted(kinds, key=_order), "absent": absent}


def _found(run: Gathered) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = run.section("findings").get("findings", []) if run.has("findings") else []
    return found


def _order(kind: FindingKind) -> tuple[bool, int, float]:
    worst = max((side["worst"]["impact_ms"] for side in kind["sides"] if side["worst"]), default=0.0)
    return kind["only"] is None, SEVERITIES.index(kind["severity"]), -worst


def _kind(
    name: str, runs: Sequence[Gathered], sides: Sequence[Sequence[Gathered]], absent: Sequence[str | None]
) -> FindingKind:
    found = {at: [each for each in _found(run) if each["id"] == name] for at, run in enumerate(runs)}
    every = [each for some in found.values() for each in some]
    section: list[FindingSide] = []
    for side in range(len(sides)):
        here = [(at, each) for at, run in enumerate(runs) if run.side == side for each in found[at]]
        section.append({"count": len(here), "worst": _worst(here)})
    have = [at for at, side in enumerate(section) if side["count"]]
    # Where nothing could be looked for, nothing was not found.
    looked = [at for at, reason in enumerate(absent) if reason is None]
    return {
        "id": name,
        "severity": min((each["severity"] for each in every), key=SEVERITIES.index),
        "label": every[0]["label"],
        "sides": section,
        "only": have if len(have) < len(looked) else None,
    }


def _worst(here: Sequence[tuple[int, Mapping[str, Any]]]) -> FindingHere | None:
    if not here:
        return None
    at, worst = max(here, key=lambda each: each[1]["impact_ms"])
    section: FindingHere = {"analysis": at, **{name: worst[name] for name in HERE}}  # type: ignore[typeddict-item]
    return section
