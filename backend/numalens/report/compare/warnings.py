"""Reasons for which analyses are not comparable, each in one sentence."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from numalens.report.compare.gather import SECOND, Gathered, Steps
from numalens.report.compare.shapes import ComparedWarning, Kind, Severity

MUCH_LONGER: Final = 1.5
"""Windows whose lengths differ by less are of like length."""
FEW_WINDOWS: Final = 5
SHOWN: Final = 6
PROBES: Final = {
    "entry_probe": "on task_numa_migrate",
    "return_probe": "on its return",
    "setnuma_probe": "on sched_setnuma",
    "timer_probe": "on cling's timer",
}


Maker = Callable[[Sequence[Gathered], Steps], Iterator[ComparedWarning]]
ORDER: Final[tuple[Kind, ...]] = (
    *("same", "recording", "topology", "topology_assumed", "lost", "events", "probes", "samples", "length", "short"),
    *("hz", "clock", "kernel"),
)


def warnings(runs: Sequence[Gathered], steps: Steps) -> list[ComparedWarning]:
    """All problems, the most severe first."""
    recorded = [run for run in runs if identity(run)["events"]]
    about_all: tuple[Maker, ...] = (_recording, _same, _lost, _samples, _length, _short)
    # Samples alone have no kernel, no clock, no CPUs: that they are samples alone is said once.
    about_recorded: tuple[Maker, ...] = (_topology, _events, _probes, _hz, _clock, _assumed, _kernel)
    found = [warned for maker in about_all for warned in maker(runs, steps)]
    if recorded:
        found += [warned for maker in about_recorded for warned in maker(recorded, steps)]
    return sorted(found, key=lambda warned: (warned["severity"] != "warning", ORDER.index(warned["kind"])))


def identity(run: Gathered) -> dict[str, Any]:
    """Kernel, CPUs, clock and losses of a recording, from its manifest."""
    inputs = run.recording.manifest["inputs"]
    traces = [entry for entry in inputs if entry.get("events") is not None]
    evidence = run.recording.manifest["evidence"] or {}
    return {
        "kernel": next((entry["kernel"] for entry in traces if entry.get("kernel")), None),
        "cpus": max((entry.get("cpus") or 0 for entry in traces), default=0),
        "clock": next((entry["clock"] for entry in traces if entry.get("clock")), None),
        "hz": evidence.get("hz"),
        "hz_label": (evidence.get("hz_source") or {}).get("label"),
        "events": sum(entry["events"] for entry in traces),
        "lost_events": sum(entry.get("lost_events") or 0 for entry in traces),
        "lost_marks": sum(entry.get("lost_marks") or 0 for entry in traces),
    }


def layout(run: Gathered) -> tuple[int, ...]:
    """CPUs of each node, in order."""
    return tuple(len(node["cpus"]) for node in run.recording.manifest["topology"]["nodes"])


def _warned(kind: Kind, sentence: str, runs: Sequence[Gathered], severity: Severity = "warning") -> ComparedWarning:
    return {"kind": kind, "severity": severity, "sentence": sentence, "analyses": [run.place for run in runs]}


def _listed(runs: Sequence[Gathered], words: Callable[[Gathered], str]) -> str:
    """`A 250, B and C 1000`."""
    groups: dict[str, list[str]] = {}
    for run in runs:
        groups.setdefault(words(run), []).append(run.key)
    return ", ".join(f"{joined(keys)} {word}" for word, keys in groups.items())


def joined(words: Sequence[str]) -> str:
    """`a, b and c`."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def _keys(runs: Sequence[Gathered]) -> str:
    return joined([run.key for run in runs])


def _recording(runs: Sequence[Gathered], _steps: Steps) -> Iterator[ComparedWarning]:
    without = [run for run in runs if not identity(run)["events"]]
    if without:
        has = "has" if len(without) == 1 else "have"
        yield _warned(
            "recording", f"{_keys(without)} {has} no recording, only samples: few values can be compared.", without
        )


def _same(runs: Sequence[Gathered], _steps: Steps) -> Iterator[ComparedWarning]:
    seen: dict[str, list[Gathered]] = {}
    for run in runs:
        inputs = run.recording.manifest["inputs"]
        spans = [(entry["bytes"], entry["cpu_spans"]) for entry in inputs if entry.get("cpu_spans")]
        if spans:
            seen.setdefault(str((spans, run.recording.window)), []).append(run)
    for twins in seen.values():
        if len(twins) > 1:
            yield _warned("same", f"{_keys(twins)} are the same recording and the same window.", twins)


def _topology(runs: Sequence[Gathered], _steps: Steps) -> Iterator[ComparedWarning]:
    if len({layout(run) for run in runs}) > 1:
        yield _warned(
            "topology",
            f"The machines differ: {_listed(runs, _layout_words)}; nodes with the same number differ.",
            runs,
        )


def _layout_words(run: Gathered) -> str:
    sizes = layout(run)
    if len(set(sizes)) <= 1:
        cpus = sizes[0] if sizes else 0
        return f"has {len(sizes)} {_plural(len(sizes), 'node')} of {cpus} {_plural(cpus, 'CPU')}"
    return f"has nodes of {joined([str(size) for size in sizes])} CPUs"


def _plural(count: int, word: str) -> str:
    return word if count == 1 else f"{word}s"


def _lost(runs: Sequence[Gathered], _steps: Steps) -> Iterator[ComparedWarning]:
    for run in runs:
        section = identity(run)
        if section["lost_marks"] or section["lost_events"]:
            share = 100 * section["lost_events"] / max(1, section["events"] + section["lost_events"])
            yield _warned(
                "lost",
                f"{run.key} lost {section['lost_events']:,} events in {max(1, section['lost_marks']):,} places"
                f" ({share:.2f} % of them): its counts are too low.",
                [run],
            )


def _events(runs: Sequence[Gathered], _steps: Steps) -> Iterator[ComparedWarning]:
    yield from _one_sided(runs, "events", "The recordings have different events", _event_names)


def _event_names(run: Gathered) -> set[str]:
    return set(run.recording.manifest["event_counts"])


def _samples(runs: Sequence[Gathered], _steps: Steps) -> Iterator[ComparedWarning]:
    yield from _one_sided(runs, "samples", "The recordings have different samples", _sample_names)


def _sample_names(run: Gathered) -> set[str]:
    return {table["table"] for table in run.recording.manifest["samples"] if table["placed"]}


def _probes(runs: Sequence[Gathered], _steps: Steps) -> Iterator[ComparedWarning]:
    yield from _one_sided(runs, "probes", "The recordings have different probes", _probe_names)


def _probe_names(run: Gathered) -> set[str]:
    sources: Mapping[str, Any] = (run.recording.manifest["numa"] or {}).get("sources", {})
    return {PROBES.get(name, name) for name, there in sources.items() if name.endswith("_probe") and there}


def _one_sided(
    runs: Sequence[Gathered], kind: Kind, what: str, names: Callable[[Gathered], set[str]]
) -> Iterator[ComparedWarning]:
    """Inputs that only some of the recordings have."""
    sets = [names(run) for run in runs]
    common = set.intersection(*sets)
    groups: dict[tuple[int, ...], list[str]] = {}
    for name in sorted(set.union(*sets) - common):
        groups.setdefault(tuple(at for at, have in enumerate(sets) if name in have), []).append(name)
    if groups:
        parts = [f"only {_keys([runs[at] for at in have])} {_some(only)}" for have, only in sorted(groups.items())]
        yield _warned(
            kind, f"{what}: {'; '.join(parts)}.", [runs[at] for at in sorted({at for have in groups for at in have})]
        )


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:SHOWN]) + (f" and {len(names) - SHOWN} more" if len(names) > SHOWN else "")


def _length(runs: Sequence[Gathered], _steps: Steps) -> Iterator[ComparedWarning]:
    lengths = [run.recording.length_ns for run in runs]
    if min(lengths) * MUCH_LONGER < max(lengths):
        words = _listed(runs, lambda run: f"is {run.recording.seconds:.1f} s long")
        yield _warned("length", f"The windows differ in length: {words}; counts are compared per second.", runs)


def _short(runs: Sequence[Gathered], steps: Steps) -> Iterator[ComparedWarning]:
    short = [run for run in runs if run.recording.length_ns < FEW_WINDOWS * SECOND]
    if short:
        yield _warned(
            "short",
            f"{_keys(short)} {'is' if len(short) == 1 else 'are'} shorter than {FEW_WINDOWS} s: "
            f"statistics cover windows of {steps.samples / 1e6:g} ms and are weak.",
            short,
        )


def _hz(runs: Sequence[Gathered], _steps: Steps) -> Iterator[ComparedWarning]:
    known = {identity(run)["hz"] for run in runs}
    if len(known) > 1:
        words = _listed(runs, lambda run: str(identity(run)["hz"] or "unknown"))
        yield _warned("hz", f"The kernels' HZ differ: {words}; ticks and balancing intervals do too.", runs)


def _clock(runs: Sequence[Gathered], _steps: Steps) -> Iterator[ComparedWarning]:
    clocks = {identity(run)["clock"] for run in runs}
    if len(clocks) > 1:
        words = _listed(runs, lambda run: str(identity(run)["clock"] or "unknown"))
        yield _warned("clock", f"The traces' clocks differ: {words}.", runs, "note")


def _assumed(runs: Sequence[Gathered], _steps: Steps) -> Iterator[ComparedWarning]:
    assumed = [run for run in runs if run.recording.manifest["topology"]["source"] == "assumed"]
    if assumed:
        sentence = f"The nodes of {_keys(assumed)} are unknown: all CPUs count as one node."
        yield _warned("topology_assumed", sentence, assumed)


def _kernel(runs: Sequence[Gathered], _steps: Steps) -> Iterator[ComparedWarning]:
    unknown = [run for run in runs if identity(run)["kernel"] is None]
    if unknown:
        yield _warned("kernel", f"The kernel of {_keys(unknown)} is not known; its rules are assumed.", unknown, "note")
