"""Everything that must hold of a recording's export, found out at once; `python -m tests.export_check FILE|FOLDER...` in
`backend/` prints a table of it.
"""

import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from numalens.cli.inputs import RecordingFiles, read_recording, recordings
from numalens.perfetto.engine import Engine
from tests import task_states
from tests.exported import came_back, counts, exported, loaded, read_back, recorded, result

MS = 1e6


@dataclass(frozen=True)
class Checked:
    """What was found of one recording."""

    events: int
    made: int
    """Requests to wake that the export made."""
    counted: bool
    """The trace processor counts as many of each event as were recorded."""
    tasks: int
    """Tasks with states."""
    states: task_states.States
    apart: dict[int, int]
    """Tasks whose states differ beyond the rules, with the ns by which they do."""
    oracle: bool
    """Perfetto's own protobuf reads every event with every field."""
    back: bool
    """Our reader gets every event with every field back, on the same clock."""

    @property
    def unexplained(self) -> dict[int, int]:
        """As `apart`, without those that a rule lets differ."""
        return {pid: ns for pid, ns in self.apart.items() if pid not in self.states.disturbed}

    @property
    def right(self) -> bool:
        """Nothing is left to explain."""
        return self.counted and self.oracle and self.back and not self.unexplained

    def words(self) -> str:
        """What is to be said of the states."""
        of = self.states
        answer = [f"{self.tasks - len(self.apart)} of {self.tasks} tasks equal in every state"]
        for name, rule in (("first", of.first), ("open", of.open), ("woken", of.woken)):
            if rule.stretches:
                answer.append(f"{name} {rule.stretches} x, {rule.ns / MS:.1f} ms")
        if self.apart:
            disturbed = sum(ns for pid, ns in self.apart.items() if pid in of.disturbed)
            answer.append(f"disturbed {len(self.apart) - len(self.unexplained)} tasks, {disturbed / MS:.1f} ms")
        if self.unexplained:
            answer.append(f"NOT EXPLAINED {self.unexplained}")
        return "; ".join(answer)


def check(folder: Path) -> Checked:
    """Exports a bundle and reads the trace again in all three ways."""
    out = exported(folder)
    with Engine() as engine:
        loaded(engine, out.trace)
        counted, theirs = counts(engine), task_states.theirs(engine)
    events, made = result(out.trace)
    here = recorded(out.bundle)
    ours = task_states.ours(out) if "sched_switch" in out.manifest["event_counts"] else task_states.States()
    with tempfile.TemporaryDirectory() as work:
        again = read_back(out.trace, Path(work))
        back = came_back(here, recorded(again))
    return Checked(
        events=out.events,
        made=sum(map(len, made.values())),
        counted=counted == out.manifest["event_counts"] and out.events == sum(counted.values()),
        tasks=len({pid for pid, _ in ours.sums}),
        states=ours,
        apart=task_states.differing(ours, theirs) if ours.sums else {},
        oracle=events == here,
        back=back,
    )


def row(name: str, found: Checked) -> str:
    """A line of the table."""
    yes = {True: "equal", False: "DIFFERENT"}
    return (
        f"{name:<44} {found.events:>9,} {found.made:>7,} {yes[found.counted]:>9} {yes[found.oracle]:>9} {yes[found.back]:>9}"
        f"  {found.words()}"
    )


HEAD = f"{'recording':<44} {'events':>9} {'made':>7} {'counts':>9} {'protobuf':>9} {'back':>9}  states"


def of_recording(files: RecordingFiles) -> Checked:
    """Checks a recording with what lies beside it."""
    with read_recording(files) as opened:
        return check(opened.path)


def main(paths: list[Path]) -> int:
    """Prints the table; 1 when something is not right."""
    print(HEAD)
    wrong = False
    for files in recordings(paths, sampled=False):
        found = of_recording(files)
        wrong |= not found.right
        print(row("/".join(files.recording.parts[-2:])[-44:], found), flush=True)
    return int(wrong)


if __name__ == "__main__":
    sys.exit(main([Path(path) for path in sys.argv[1:]]))
