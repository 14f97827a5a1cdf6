"""Queries for each recording. All answers are the engine's."""

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Final

from numalens_native import Bundle

from numalens.report.build import ask

SECOND: Final = 1_000_000_000
TABLE_STEP: Final = 5 * SECOND
"""Step of the per-node table, ns (docs/algorithms/numa_balancing.md, N15)."""
FEWEST_STEPS: Final = 5
"""Minimum number of steps in the shortest window."""
POWERS: Final = (SECOND, 100_000_000, 10_000_000, 1_000_000, 100_000, 10_000, 1000)
SHORTEST: Final = 1000
WORKERS: Final = 4


@dataclass(frozen=True)
class Recording:
    """A compared analysis, and its window."""

    engine: Bundle
    manifest: Mapping[str, Any]
    window: tuple[int, int]
    title: str
    id: str | None = None

    @property
    def length_ns(self) -> int:
        """Length of the window, of which only the recorded part counts."""
        origin: int = self.manifest["origin_ns"]
        end: int = self.manifest["end_ns"]
        first, last = self.window
        return max(0, min(last, end) - max(first, origin))

    @property
    def seconds(self) -> float:
        """The same in seconds."""
        return self.length_ns / SECOND


@dataclass(frozen=True)
class Steps:
    """The steps that all recordings share, ns."""

    table: int
    samples: int


@dataclass(frozen=True)
class Gathered:
    """A recording with the engine's answers, by section."""

    recording: Recording
    place: int
    """Position among all that are compared."""
    key: str
    side: int
    sections: Mapping[str, dict[str, Any]]
    metrics: Sequence[Mapping[str, Any]]
    """Figures for comparisons, by table."""

    def section(self, name: str) -> dict[str, Any]:
        """A section's answer, which may be one without content."""
        return self.sections[name]

    def has(self, name: str) -> bool:
        """Returns whether a section has content."""
        return self.sections[name].get("available") is not False


def shared_steps(recordings: Iterable[Recording], step_ns: int | None) -> Steps:
    """Steps that fit the shortest window; `step_ns` replaces the table's."""
    shortest = min((recording.length_ns for recording in recordings if recording.length_ns), default=0)
    return Steps(step_ns or _fitting(shortest, TABLE_STEP), _fitting(shortest, SECOND))


def _fitting(length_ns: int, most: int) -> int:
    """The longest step of 1, 2 or 5 times a power of ten that the length has enough of."""
    rounds = (factor * power for power in POWERS for factor in (5, 2, 1))
    fitting = (step for step in rounds if step <= most and step * FEWEST_STEPS <= length_ns)
    return next(fitting, SHORTEST)


def gather(sides: Sequence[Sequence[Recording]], steps: Steps, decisions: bool = False) -> list[Gathered]:
    """Asks every recording, several at a time; about decisions only if requested."""
    placed = [(run, side) for side, runs in enumerate(sides) for run in range(len(runs))]

    def ask_one(place: int) -> Gathered:
        run, side = placed[place]
        recording = sides[side][run]
        sections = _ask_all(recording, steps)
        if decisions:
            sections["decisions"] = ask(recording.engine, "decisions", recording.window, {})
        metrics = json.loads(recording.engine.metrics(*recording.window, steps.samples))
        return Gathered(recording, place, key_of(side, run, len(sides[side])), side, sections, metrics)

    with ThreadPoolExecutor(min(WORKERS, os.cpu_count() or 1)) as pool:
        return list(pool.map(ask_one, range(len(placed))))


def key_of(side: int, run: int | None = None, runs: int = 1) -> str:
    """`A`, `B`; of several runs `A1`, `A2`."""
    letter = chr(ord("A") + side)
    return letter if run is None or runs == 1 else f"{letter}{run + 1}"


def _ask_all(recording: Recording, steps: Steps) -> dict[str, dict[str, Any]]:
    def tell(section: str, **options: int) -> dict[str, Any]:
        return ask(recording.engine, section, recording.window, options)

    return {
        "utilisation": tell("utilisation", step_ns=steps.table),
        "waits": tell("wait_windows", step_ns=steps.samples),
        "balancing": tell("numa_balancing", limit=1),
        "cling": tell("cling", limit=1),
        "findings": tell("findings"),
    }
