"""What recordings tell assistants: short answers in words, marked as data."""

import json
import shlex
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any, Final

from numalens.cli.compare import recording_of
from numalens.cli.inputs import OpenedBundle, Wanted, is_bundle, opened, recordings
from numalens.cli.plain import plain
from numalens.cli.summary import length
from numalens.perfetto.engine import NARROW_BYTES
from numalens.perfetto.errors import PerfettoError, SqlError
from numalens.perfetto.sql.protocol import Limits
from numalens.perfetto.sql.session import Session, sql_sentence
from numalens.report import ask
from numalens.report.build import is_missing
from numalens.report.compare import build_comparison

SECOND: Final = 1e9
MOST_S: Final = float(1 << 33)
TOKENS: Final = 2000
"""Of an answer, unless more is asked for."""
CHARACTERS: Final = 3
"""Of a token, at least: numbers and names take more tokens than prose."""
OPEN: Final = 4
"""Recordings that stay open."""
ROWS: Final = 200
SQL_SECONDS: Final = 30.0
NEAR_NS: Final = 50_000_000
WIDER: Final = 8

BRACKETS: Final = str.maketrans("<>", "\u2039\u203a")
"""What cannot end the mark of data."""
Part = Mapping[str, Any]


class Shelf:
    """Recordings below the paths that were named, read when they are asked for."""

    def __init__(self, paths: Sequence[Path]) -> None:
        """Lets nothing else be read."""
        self._roots = [path.resolve() for path in paths]
        self._open: OrderedDict[Path, tuple[OpenedBundle, ExitStack]] = OrderedDict()

    def names(self) -> list[str]:
        """Paths that `open` takes."""
        found: dict[str, None] = {}
        for root in self._roots:
            if is_bundle(root):
                found[str(root)] = None
                continue
            bundles = sorted(each.parent for each in root.rglob("manifest.json")) if root.is_dir() else []
            found |= dict.fromkeys(str(bundle) for bundle in bundles)
            files = (each.recording for each in recordings([root], sampled=False))
            found |= dict.fromkeys(str(file) for file in files if not any(bundle in file.parents for bundle in bundles))
        return list(found)

    def checked(self, name: str) -> Path:
        """The path of a name. Raises ValueError for one that lies elsewhere."""
        path = Path(name).resolve()
        if not any(path == root or root in path.parents for root in self._roots):
            raise ValueError(f"{name} is not among the recordings; call `recordings` for their names")
        return path

    def open(self, name: str) -> OpenedBundle:
        """The recording, with the companion files that lie next to it."""
        path = self.checked(name)
        if path not in self._open:
            wanted = [path]
            if path.is_dir() and not is_bundle(path):
                raise ValueError(f"{name} is a folder; call `recordings` for what is in it")
            if path.is_file():
                [found] = recordings([path], sampled=False)
                wanted = [found.recording, *map(self.checked, map(str, found.companions))]
            stack = ExitStack()
            self._open[path] = (stack.enter_context(opened(Wanted(wanted))), stack)
            while len(self._open) > OPEN:
                self._open.popitem(last=False)[1][1].close()
        self._open.move_to_end(path)
        return self._open[path][0]

    def close(self) -> None:
        """Removes what was read."""
        while self._open:
            self._open.popitem()[1][1].close()


class View:
    """A window of a recording in seconds of its clock, as the page's axis has them."""

    def __init__(self, name: str, bundle: OpenedBundle, from_s: float | None, to_s: float | None) -> None:
        """An edge that is None is the recording's. Raises ValueError for an empty window."""
        self.name = name
        self.engine = bundle.engine
        edges = zip((from_s, to_s), bundle.manifest["window_ns"], strict=True)
        first, last = (edge if seconds is None else self.ns(seconds) for seconds, edge in edges)
        if first >= last:
            raise ValueError("the window is empty: from_s is not before to_s")
        begin, end = bundle.manifest["origin_ns"], bundle.manifest["end_ns"]
        if first > end or last < begin:
            raise ValueError(f"the recording is from {self.seconds(begin)} to {self.seconds(end)}")
        self.window: tuple[int, int] = (first, last)

    def ns(self, seconds: float) -> int:
        """A moment of the trace's clock."""
        return round(max(0.0, min(seconds, MOST_S)) * SECOND)

    def seconds(self, ns: int) -> str:
        """A moment as the page shows it."""
        return f"{ns / SECOND:.3f} s"

    def ask(self, section: str, window: tuple[int, int] | None = None, **options: str | int | None) -> dict[str, Any]:
        """A section's answer. Raises ValueError with what is missing."""
        answer = ask(self.engine, section, window or self.window, options)
        if is_missing(answer):
            raise ValueError(f"not recorded: {answer['reason']}")
        return answer


def bounded(lines: Iterable[str], most_tokens: int) -> str:
    """The lines as data of a recording, as many as fit; what was left out is said."""
    begin, end = "<recording-data>", "</recording-data>"
    room = max(100, most_tokens) * CHARACTERS - len(begin) - len(end) - 120
    kept: list[str] = []
    left = 0
    for line in lines:
        safe = plain(line).translate(BRACKETS)
        if left or len(safe) + 1 > room:
            left += 1
            if not kept:
                kept, room = [safe[:room]], 0
        else:
            kept.append(safe)
            room -= len(safe) + 1
    said = f"\n({left} more lines do not fit; ask for a shorter window, or with a larger most_tokens)" if left else ""
    return "\n".join([begin, *kept, end]) + said


def _known(answer: Part) -> str:
    missing = f"; better with {', '.join(answer['missing'])}" if answer["missing"] else ""
    return f"known: {answer['label']}{missing}"


def _finding(view: View, finding: Part) -> str:
    at = f"worst from {view.seconds(finding['from_ns'])} to {view.seconds(finding['to_ns'])}"
    return (
        f"{finding['id']} ({finding['severity']}, {finding['impact_ms']:.1f} ms, {finding['label']}, {at}):"
        f" {finding['summary']}"
    )


def _all_waits(latency: Part) -> list[Part]:
    kinds = (latency, latency["preempted"], latency["new"], latency["unfinished"])
    return [wait for kind in kinds for wait in kind["worst"]]


def _story(view: View, wait: Part) -> list[str]:
    window = (wait["waking_ns"], wait["switch_in_ns"])
    story = view.ask("wait", window, pid=wait["pid"], cpu=wait["cpu"])
    edges = f"from {view.seconds(window[0])} to {view.seconds(window[1])}"
    causes = ", ".join(f"{each['cause']} {length(each['ns'])}" for each in wait["causes"] if each["ns"])
    page = f"on the page: numalens open {shlex.quote(view.name)}, at {view.seconds(window[0])}"
    return [story["verdict"], f"{edges}; causes: {causes}", _known(story), page]


def headline(view: View) -> list[str]:
    """The window in one sentence, what cost most, and the longest wait."""
    found = view.ask("findings")
    waits = sorted(_all_waits(view.ask("latency", limit=1)), key=lambda wait: -wait["wait_ns"])
    first, last = view.window
    lines = [f"window {view.seconds(first)} to {view.seconds(last)}", found["headline"]["summary"]]
    lines += [_finding(view, finding) for finding in found["findings"][:3]]
    return lines + (["longest wait:", *_story(view, waits[0])] if waits else ["no task waited"])


def findings(view: View, limit: int) -> list[str]:
    """The findings, worst first."""
    found = view.ask("findings")
    lines = [_finding(view, finding) for finding in found["findings"][:limit]]
    more = len(found["findings"]) - len(lines)
    return [*(lines or ["no findings"]), *([f"and {more} more"] if more else [])]


def wait_of(view: View, pid: int, at_s: float) -> list[str]:
    """The wait of a task at a moment, or the one next to it."""
    at, reach = view.ns(at_s), NEAR_NS
    begin, end = view.window
    while True:
        near = (max(begin, at - reach), min(end, at + reach))
        mine = []
        if near[0] < near[1]:
            mine = [wait for wait in _all_waits(view.ask("latency", near, limit=1000)) if wait["pid"] == pid]
        if mine:
            nearest = min(mine, key=lambda wait: max(wait["waking_ns"] - at, at - wait["switch_in_ns"], 0))
            return _story(view, nearest)
        if reach > end - begin:
            raise ValueError(f"no wait of a task with pid {pid} is recorded here")
        reach *= WIDER


def facts(view: View) -> list[str]:
    """Numbers of a window."""
    used, waste, latency = view.ask("utilisation"), view.ask("waste"), view.ask("latency", limit=1)
    lines = [f"node {node['nid']}: {node['average']} % busy" for node in used["nodes"]]
    ranks = ((name, latency[f"{name}_ns"]) for name in ("p50", "p90", "p99", "max"))
    spread = ", ".join(f"{name} {length(ns)}" for name, ns in ranks if ns is not None)
    lines += [f"wake-up latency of {latency['wakeups']} waits: {spread or 'none'} ({_known(latency)})"]
    lines += [f"idle CPUs while tasks waited: {waste['cpu_seconds']:.3f} CPU s ({_known(waste)})"]
    system = view.ask("psi", points=1)["system"]
    if is_missing(system):
        return [*lines, f"pressure: not recorded: {system['reason']}"]
    for name in ("cpu", "memory", "io"):
        total = system[name]
        value = (
            f"not recorded: {total['reason']}"
            if is_missing(total)
            else f"some {total['some_us'] or 0} us ({total['label']})"
        )
        lines.append(f"{name} pressure: {value}")
    return lines


def rows_of(view: View, sql: str) -> list[str]:
    """The rows of a query, tabs between."""
    try:
        with closing(Session(Limits(NARROW_BYTES, SQL_SECONDS, load_seconds=float(1 << 20)), None)) as session:
            session.load(view.engine, *view.window)
            answer = json.loads(session.query(sql, ROWS))
    except SqlError as error:
        raise ValueError(sql_sentence(error)) from error
    except PerfettoError as error:
        raise ValueError(str(error)) from error
    lines = ["\t".join(column["name"] for column in answer["columns"])]
    lines += ["\t".join("NULL" if cell is None else str(cell) for cell in row) for row in answer["rows"]]
    return [*lines, *([f"(the first {ROWS} rows)"] if answer["truncated"] else [])]


def compared(shelf: Shelf, base: str, new: str) -> list[str]:
    """What differs between two recordings, by more than it varies."""
    with ExitStack() as stack:
        sides = [
            (name, [recording_of(stack, str(shelf.checked(path)), (None, None), tolerant=False)])
            for name, path in (("base", base), ("new", new))
        ]
        comparison = build_comparison(sides)
    lines = [warned["sentence"] for warned in comparison["warnings"]] + [comparison["samples"]["sentence"]]
    for table in comparison["tables"]:
        for row in table["rows"]:
            before, after = row["sides"]
            if after["percent"] is None or not (after["intervals"] and after["intervals"]["significant"]):
                continue
            word = "more" if row["better"] == "neither" else "better"
            change = f"{abs(after['percent']):.0f} % {word if after['percent'] > 0 else {'more': 'less', 'better': 'worse'}[word]}"
            lines.append(
                f"{row['title']}: {before['mean']:.6g} -> {after['mean']:.6g} {row['unit']}, {change}, {after['label']}"
            )
    return lines
