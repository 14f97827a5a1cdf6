"""The rows of the reference set (docs/reference-set.md), and how each is made again."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

from catalogue import cause_named
from model import Machine


@dataclass(frozen=True)
class Row:
    """A recording: its folder's name, the kernel's release, the guest, and the seed of its own (seed, cause, look-alike, round)."""

    name: str
    kernel: str
    seed: str
    cpus: int = 4
    nodes: int = 2
    threads: int = 1
    suite: str | None = None
    """The Debian suite that has the kernel, if it is not this machine's."""

    @property
    def guest(self) -> str:
        """Kernel and size, as the document has them."""
        threads = f", {self.threads} threads a core" if self.threads > 1 else ""
        return f"{self.kernel}, {self.cpus} CPUs, {self.nodes} nodes{threads}"


_6_1: Final = "6.1.0-56-amd64"
_6_12_43: Final = "6.12.43+deb12-amd64"
_6_12: Final = "6.12.107+deb12-amd64"
_7_2: Final = "7.2.13+deb14-amd64"
ROWS: Final = (
    Row("deadline", "6.12.100+deb12-amd64", "612/deadline/False/0"),
    Row("deadline_twin", "6.12.100+deb12-amd64", "612/deadline/True/0"),
    Row("realtime", "6.12.100+deb12-amd64", "612/realtime/False/0"),
    Row("realtime_twin", "6.12.100+deb12-amd64", "77/realtime/True/1"),
    Row("scan", _6_12, "9/scan/False/0", cpus=2),
    Row("scan_twin", _6_12, "9/scan/True/0", cpus=2),
    Row("scx", _7_2, "5/sched_ext/False/0", cpus=2, suite="sid"),
    Row("scx_twin", _7_2, "5/sched_ext/True/0", cpus=2, suite="sid"),
    Row("kicks_6_1_long", _6_1, "4/kicks/False/0"),
    Row("kicks_6_1_short", _6_1, "8/kicks/False/0"),
    Row("kicks_6_12_long", _6_12, "4/kicks/False/0", cpus=8),
    Row("kicks_6_12_short", _6_12, "8/kicks/False/0", cpus=8),
    Row("kicks_7_2_few", _7_2, "1/kicks/False/0", cpus=8, suite="sid"),
    Row("kicks_7_2_long", _7_2, "4/kicks/False/0", cpus=8, suite="sid"),
    Row("kicks_7_2_short", _7_2, "8/kicks/False/0", cpus=8, suite="sid"),
    Row("kicks_7_2_twin", _7_2, "1/kicks/True/0", cpus=2, suite="sid"),
    Row("picks_6_12", _6_12, "1/picks/False/0"),
    Row("picks_7_2", _7_2, "1/picks/False/0", suite="sid"),
    Row("picks_7_2_twin", _7_2, "1/picks/True/0", suite="sid"),
    Row("fork_mask_6_12_43", _6_12_43, "1/fork_mask/False/0", cpus=8, suite="bookworm-backports"),
    Row("fork_mask_6_12_117", "6.12.117+deb12-amd64", "1/fork_mask/False/0", cpus=8),
)


def chosen(names: Iterable[str] | None, kernel: str | None = None, suite: str | None = None) -> list[Row]:
    """All rows, or those of these names; with another kernel (a release) than the one that they were made on. Raises ValueError."""
    wanted = None if names is None else set(names)
    if wanted and (unknown := wanted - {row.name for row in ROWS}):
        raise ValueError(f"no row {', '.join(sorted(unknown))}; there are {', '.join(row.name for row in ROWS)}")
    rows = [row for row in ROWS if wanted is None or row.name in wanted]
    return [replace(row, kernel=kernel, suite=suite) for row in rows] if kernel else rows


def lacking(row: Row, machine: Machine) -> str | None:
    """Why a guest cannot play a row."""
    cause = cause_named(row.seed.split("/")[1])
    if cause.runs_on(machine):
        return None
    return f"{row.name}: not made: {cause.name} needs {cause.needs}"
