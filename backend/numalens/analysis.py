"""Analyses returned by `numalens.open`, and windows of them, as Arrow tables."""

import json
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from html import escape
from os import PathLike
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Self
from weakref import finalize

import numalens_native as native
from typing_extensions import override

from numalens.cli.inputs import OpenedBundle, Wanted, opened
from numalens.cli.usage import UsageError
from numalens.report import ask, build_report
from numalens.report.build import is_missing
from numalens.store.options import ReadOptions

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

NotRecordedError = native.NotRecordedError
SECOND: Final = 1e9
MOST_S: Final = 1 << 33
"""Limit of seconds in a clock of 64 bits of ns."""
BARS: Final = 240
"""Steps of the picture of a notebook."""
WIDTH: Final = 960
LANE: Final = 36
GAP: Final = 10
LEFT: Final = 64


def open_files(
    files: Sequence[str | PathLike[str]],
    *,
    topology: str | PathLike[str] | None,
    tolerant: bool,
    offsets: dict[str, int] | None,
    hz: int | None,
) -> "Analysis":
    """As `numalens.open`, which documents the exceptions."""
    if not files:
        raise ValueError("expected at least one file to open")
    options = ReadOptions(tolerant, offsets or {})
    wanted = Wanted([Path(file) for file in files], None if topology is None else Path(topology), options, hz)
    with ExitStack() as stack:
        try:
            bundle = stack.enter_context(opened(wanted))
        except UsageError as error:
            raise ValueError(str(error)) from None
        shared = _Opened(bundle, stack.pop_all().close)
    begin, end = bundle.manifest["window_ns"]
    return Analysis(shared, (begin, end))


class _Opened:
    """An open bundle shared by its windows; `close` is called once, at the latest with the last of them."""

    def __init__(self, bundle: OpenedBundle, close: Callable[[], object]) -> None:
        self._bundle = bundle
        self.close = finalize(self, close)

    @property
    def bundle(self) -> OpenedBundle:
        if not self.close.alive:
            raise ValueError("the analysis is closed")
        return self._bundle


class Table:
    """Rows of a window in Arrow's memory. Libraries with the C data interface take it without a copy: `pyarrow.table(it)`."""

    def __init__(self, rows: native.Table) -> None:
        """Has the rows of the engine."""
        self._rows = rows

    def __arrow_c_schema__(self) -> object:
        return self._rows.__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._rows.__arrow_c_stream__(requested_schema)

    def __len__(self) -> int:
        return len(self._rows)

    @override
    def __repr__(self) -> str:
        columns = "".join(f"\n  {name}: {dtype}" for name, dtype in self.columns.items())
        known = "" if self.provenance is None else f", {self.provenance}"
        return f"numalens.Table of {len(self):,} rows{known}{columns}"

    @property
    def columns(self) -> dict[str, str]:
        """The Arrow type of each column."""
        return dict(self._rows.columns())

    @property
    def provenance(self) -> str | None:
        """Provenance of all rows: `observed`, `replayed`, `inferred`; None if rows differ, and for events (observed)."""
        return self._rows.provenance

    def to_polars(self) -> "pl.DataFrame":
        """A data frame of Polars, which has to be installed."""
        import polars as pl  # noqa: PLC0415  (one of several that may be there)

        return pl.DataFrame(self)

    def to_pandas(self) -> "pd.DataFrame":
        """A data frame of pandas, which has to be installed with pyarrow; this copies."""
        import pyarrow as pa  # noqa: PLC0415  (one of several that may be there)

        frame: pd.DataFrame = pa.table(self).to_pandas()
        return frame


class Analysis:
    """A recording, or a window: `a[12.5:13.0]` in seconds of the trace's clock, as on the page's axis.

    Nothing is computed before it is requested. Tables stay valid when the analysis is closed.
    """

    def __init__(self, shared: _Opened, window_ns: tuple[int, int]) -> None:
        """A window of an open bundle."""
        self._shared = shared
        self.window_ns: Final = window_ns
        """Begin and end, ns of the trace's clock."""

    def __getitem__(self, seconds: slice) -> "Analysis":
        if seconds.step is not None:
            raise TypeError("expected a window in seconds, such as a[12.5:13.0]")
        begin, end = (
            self._ns(edge, now) for edge, now in zip((seconds.start, seconds.stop), self.window_ns, strict=True)
        )
        if begin >= end:
            raise ValueError(f"the window is empty: {seconds.start} s is not before {seconds.stop} s")
        manifest = self._shared.bundle.manifest
        first, last = manifest["origin_ns"], manifest["end_ns"]
        if begin > last or end < first:
            raise ValueError(f"the recording is from {first / SECOND:.3f} to {last / SECOND:.3f} s")
        return Analysis(self._shared, (begin, end))

    def _ns(self, seconds: float | None, otherwise: int) -> int:
        if seconds is None:
            return otherwise
        if not 0 <= seconds < MOST_S:
            raise ValueError(f"{seconds} is not a number of seconds from 0")
        return round(seconds * SECOND)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Removes the imported files; all windows are closed together."""
        self._shared.close()

    @property
    def seconds(self) -> tuple[float, float]:
        """Begin and end, seconds of the trace's clock."""
        begin, end = self.window_ns
        return begin / SECOND, end / SECOND

    @property
    def event_counts(self) -> dict[str, int]:
        """Number of events of each type in the recording."""
        return dict(self._shared.bundle.manifest["event_counts"])

    @property
    def headline(self) -> str:
        """The window in one sentence; where there is none, what is missing for it."""
        found = self.section("findings")
        text: str = found["reason"] if is_missing(found) else found["headline"]["summary"]
        return text

    def events(self, name: str) -> Table:
        """The events called `name` (`sched_switch`, `sched:sched_switch`). Raises KeyError where there are none."""
        return Table(self._engine.events(name, *self.window_ns))

    def waits(self) -> Table:
        """The waits for a CPU that lie in the window or cross its edges."""
        return self._table("waits")

    def wait_causes(self) -> Table:
        """Causes of each of `waits`; they add up to its `wait_ns`."""
        return self._table("wait_causes")

    def slices(self) -> Table:
        """Uninterrupted runs of tasks on CPUs, whole, CPU by CPU."""
        return self._table("slices")

    def states(self) -> Table:
        """State of each CPU at the start of the window, and each change inside."""
        return self._table("states")

    def findings(self) -> Table:
        """Findings, worst first."""
        return self._table("findings")

    def pressure(self) -> Table:
        """Replayed pressure of the machine over time."""
        return self._table("pressure")

    def numa_attempts(self) -> Table:
        """The NUMA balancer's attempts to place tasks."""
        return self._table("numa_attempts")

    def cling(self) -> Table:
        """NUMA cling's decisions: tasks kept on their node, or allowed off it."""
        return self._table("cling")

    def kicks(self) -> Table:
        """Kicks and passes of the nohz idle balancer."""
        return self._table("kicks")

    def sleeps(self) -> Table:
        """The sleeps of all tasks that overlap the window, whole, with cause, waker and holder of the lock."""
        return self._table("sleeps")

    def requests(self) -> Table:
        """The requests of the logs among the files; slow ones with the cause that took most of them."""
        return self._table("requests")

    def explain(self, task: str | int | None = None, *, slow: float = 99) -> dict[str, Any]:
        """Time of a task (name or pid) by state and cause, and waits of its slow requests, as `numalens explain --json`.

        Without a task, it is the one that served the requests of the logs.
        """
        wanted = None if task is None else str(task)
        question = {"task": wanted, "slow": slow, "from_ns": self.window_ns[0], "to_ns": self.window_ns[1]}
        try:
            answer: dict[str, Any] = json.loads(self._engine.explain(json.dumps(question)))
        except native.OptionError as error:
            raise ValueError(str(error)) from None
        return answer

    def section(self, name: str, **options: str | int | None) -> dict[str, Any]:
        """A section's answer for the window, as the API has it; its moments are numbers."""
        return ask(self._engine, name, self.window_ns, options)

    def report(self) -> dict[str, Any]:
        """The report `numalens.report/1` of the window."""
        return build_report(self._engine, *self.window_ns)

    @property
    def _engine(self) -> native.Bundle:
        return self._shared.bundle.engine

    def _table(self, name: str) -> Table:
        return Table(self._engine.table(name, *self.window_ns))

    @override
    def __repr__(self) -> str:
        begin, end = self.seconds
        return f"numalens.Analysis of {begin:.6f} to {end:.6f} s: {self.headline}"

    def _repr_html_(self) -> str:
        step_ns = max(1, -(-(self.window_ns[1] - self.window_ns[0]) // BARS))
        used = self.section("utilisation", step_ns=step_ns)
        picture = f"<p>{escape(used['reason'])}</p>" if is_missing(used) else _picture(used, self.seconds)
        return f'<div class="numalens"><p><b>{escape(self.headline)}</b></p>{picture}</div>'


def _picture(used: dict[str, Any], seconds: tuple[float, float]) -> str:
    """Busy time of each node, as SVG: one bar a step, full height 100 %."""
    nodes = used["nodes"]
    height = len(nodes) * (LANE + GAP) + 2 * GAP
    parts = []
    for at, node in enumerate(nodes):
        bottom = at * (LANE + GAP) + LANE
        width = (WIDTH - LEFT) / max(1, len(node["percent"]))
        parts.append(f'<text x="0" y="{bottom}" fill="currentColor">node {int(node["nid"])}</text>')
        bars = (
            f"M{LEFT + place * width:.1f} {bottom}v{-LANE * percent / 100:.1f}h{width:.1f}V{bottom}z"
            for place, percent in enumerate(node["percent"])
            if percent
        )
        parts.append(f'<path d="{"".join(bars)}" fill="#4c86c6"/>')
        parts.append(f'<path d="M{LEFT} {bottom + 0.5}H{WIDTH}" stroke="currentColor" stroke-opacity=".4"/>')
    begin, end = seconds
    baseline = height - 2
    parts.append(f'<text x="{LEFT}" y="{baseline}" fill="currentColor">{begin:.3f} s</text>')
    parts.append(f'<text x="{WIDTH}" y="{baseline}" text-anchor="end" fill="currentColor">{end:.3f} s</text>')
    caption = f"Busy time of each node, {escape(str(used['label']))}; the full height is 100 %."
    return (
        f'<svg viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" style="max-width:100%" shape-rendering="crispEdges" font-size="12"'
        f' role="img" font-family="sans-serif" aria-label="{caption}">{"".join(parts)}</svg><p><small>{caption}</small></p>'
    )
