"""`numalens compare`: two analyses or more side by side."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from numalens.cli.inputs import OpenedBundle, Wanted, Window, check_window, opened, recordings
from numalens.cli.limited import limit_memory
from numalens.cli.options import From, JsonFile, To, Tolerant
from numalens.cli.output import write_report
from numalens.cli.tables import aligned
from numalens.cli.usage import UsageError, new_app, ns_of
from numalens.jobs.reading import MANIFEST
from numalens.report import MAX_STEPS, fits, window_of
from numalens.report.build import is_missing
from numalens.report.compare import MAX_ANALYSES, Recording, build_comparison
from numalens.report.compare.shapes import Comparison, Shape
from numalens.store.options import ReadOptions

NS: Final = "ns"
MS: Final = "ms"
NS_PER_MS: Final = 1e6
NARROWEST: Final = 14
SHOWN_FINDINGS: Final = 12
LEAST_PERCENT: Final = 1.0
"""Share of a kind from which an outcome without a change is printed."""
SUMMARY: Final = (
    ("mean", "mean"),
    ("max", "max"),
    ("min", "min"),
    ("population_deviation", "stdev"),
    ("first_quartile", "first_q"),
    ("median", "median"),
    ("third_quartile", "third_q"),
)
"""Rows of the NAS tables; their deviation is that of a population."""


def page(comparison: Comparison) -> str:
    """The whole comparison."""
    lines = [*_head(comparison), *_warnings(comparison)]
    for at, analysis in enumerate(comparison["analyses"]):
        lines += ["", *_per_node(comparison, at, f"{analysis['key']}  {analysis['title']}")]
    for table in comparison["tables"]:
        lines += ["", *_table(comparison, table)]
        if table["name"] == "statistics":
            lines += ["", *_spreads(comparison, table)]
    lines += ["", *_findings(comparison)]
    return "\n".join(lines) + "\n"


def decisions_page(comparison: Comparison) -> str:
    """The comparison of decisions."""
    return "\n".join([*_head(comparison), *_warnings(comparison), *decision_lines(comparison)]) + "\n"


def decision_lines(comparison: Comparison) -> Iterator[str]:
    """The distributions of decisions; none unless requested."""
    found = comparison["decisions"]
    if found is None:
        return
    yield ""
    yield found["sentence"]
    for kind in found["kinds"]:
        yield ""
        yield from _decisions(comparison, kind)
    for side, reasons in zip(comparison["sides"], found["missing"], strict=True):
        yield from (f"{side['key']}: {reason}" for reason in reasons)


def _decisions(comparison: Comparison, kind: Shape) -> Iterator[str]:
    yield f"{kind['title']} ({kind['label']}; {kind['kernel']})"
    lines = [["", *(side["key"] for side in comparison["sides"]), "p", "", "rule", "example", "kernel function"]]
    shown = [row for row in kind["outcomes"] if _is_shown(row)]
    for row in (kind, *shown):
        per = "/s" if row is kind else " %"
        values = ["-" if cell["value"] is None else f"{cell['value']:.2f}{per}" for cell in row["sides"]]
        changes = [cell["change"] for cell in row["sides"] if cell["change"] is not None]
        known = [change["p"] for change in changes if change["p"] is not None]
        mark = "changed" if any(change["significant"] for change in changes) else ""
        name, kernel = ("all", "") if row is kind else (row["title"], row["kernel"])
        lines.append([name, *values, f"{min(known):.2g}" if known else "-", mark, row["rule"], _example(row), kernel])
    right = [False, *(True for _ in comparison["sides"]), True, False, False, False, False]
    yield from aligned(lines, right).splitlines()
    if len(shown) < len(kind["outcomes"]):
        yield f"and {len(kind['outcomes']) - len(shown)} rare outcomes without a change"


def _is_shown(row: Shape) -> bool:
    changed = any(cell["change"] is not None and cell["change"]["significant"] for cell in row["sides"])
    return changed or any((cell["value"] or 0.0) >= LEAST_PERCENT for cell in row["sides"])


def _example(row: Shape) -> str:
    """The moment on the side where the share grew the most, or on the base."""
    cells = [cell for cell in row["sides"] if cell["example"] is not None]
    best = max(cells, key=lambda cell: cell["value"] or 0.0, default=None)
    if best is None or best["example"] is None:
        return ""
    example = best["example"]
    key = "ABCDEFGHIJKLMNOP"[row["sides"].index(best)]
    task = "" if example["pid"] is None else f", {example['comm'] or 'task'} {example['pid']}"
    cpu = "" if example["cpu"] is None else f", CPU {example['cpu']}"
    return f"{key} {example['t_ns'] / 1e9:.6f} s{task}{cpu}"


def _head(comparison: Comparison) -> Iterator[str]:
    for analysis in comparison["analyses"]:
        count = len(analysis["nodes"])
        nodes = "1 node" if count == 1 else f"{count} nodes"
        lost = f", {analysis['lost_events']:,} events lost" if analysis["lost_marks"] or analysis["lost_events"] else ""
        hz = "" if analysis["hz"] is None else f", HZ {analysis['hz']}"
        yield f"{analysis['key']}  {analysis['title']}"
        yield (
            f"   {analysis['kernel'] or 'kernel unknown'}; {analysis['cpus']} CPUs, {nodes}{hz},"
            f" clock {analysis['clock'] or 'unknown'}; {analysis['length_ns'] / 1e9:.3f} s,"
            f" {analysis['events']:,} events{lost}"
        )
    for side in comparison["sides"]:
        if len(side["analyses"]) > 1:
            keys = ", ".join(comparison["analyses"][at]["key"] for at in side["analyses"])
            yield f"{side['key']}  {side['name']}: {keys}"
    base = comparison["sides"][comparison["base"]]["key"]
    yield f"compared with {base}; positive percentages are better, or larger where neither direction is better"


def _warnings(comparison: Comparison) -> Iterator[str]:
    if comparison["warnings"]:
        yield ""
        yield "not comparable" if comparison["warnings"][0]["severity"] == "warning" else "notes"
        yield from (f"  {warned['sentence']}" for warned in comparison["warnings"])


def _per_node(comparison: Comparison, at: int, title: str) -> Iterator[str]:
    yield f"{title} - CPU utilisation of the NUMA nodes"
    found = comparison["utilisation"][at]
    if is_missing(found):
        yield f"  {found['reason']}"
        return
    yield f"(timestep is {comparison['step_ns'] / 1e9:g} seconds; {found['label']})"
    yield "# NUMA | AVR | Utilization over time in percentage"
    for node in found["nodes"]:
        yield f"{node['nid']} | {node['average']} | {' '.join(map(str, node['percent']))}"


def _table(comparison: Comparison, table: Shape) -> Iterator[str]:
    yield table["title"] + (f" ({comparison['samples']['sentence']})" if table["name"] == "statistics" else "")
    for side, reason in zip(comparison["sides"], table["absent"], strict=True):
        if reason is not None:
            yield f"  {side['key']}: {reason}"
    if not table["rows"]:
        return
    cells = [
        [_cell(row, side, at == comparison["base"]) for at, side in enumerate(row["sides"])] for row in table["rows"]
    ]
    heads = [side["key"].rjust(NARROWEST) for side in comparison["sides"]]
    names = [_name(row) for row in table["rows"]]
    lines = [["", *heads], *([name, *row] for name, row in zip(names, cells, strict=True))]
    yield from aligned(lines, [False, *(True for _ in heads)]).splitlines()


def _name(row: Shape) -> str:
    mean = "Hmean" if row["mean"] == "harmonic" else "Amean"
    many = any(side["summary"] and side["summary"]["n"] > 1 for side in row["sides"])
    unit: str = MS if row["unit"] == NS else row["unit"]
    unit = f"{unit or 1}/s" if row["counted"] else unit
    kind = f"{mean} " if many else ""
    return f"{kind}{row['title']}" + (f" [{unit}]" if unit else "")


def _cell(row: Shape, side: Shape, is_base: bool) -> str:
    if side["mean"] is None:
        return "-"
    # mmtests prints totals of counts; where values are many, their mean is the row.
    one = side["summary"] is not None and side["summary"]["n"] == 1
    mean = side["mean"] / _scale(row)
    number = f"{side['total']:.2f} = {mean:.2f}" if row["counted"] and one else f"{mean:.2f}"
    percent = f"({0:7.2f}%)" if is_base else side["cell_2020"] or "(      -%)"
    return f"{number} {percent}"


def _scale(row: Shape) -> float:
    """Times are in ms."""
    return NS_PER_MS if row["unit"] == NS else 1.0


def _spreads(comparison: Comparison, table: Shape) -> Iterator[str]:
    """The second report's rows, for what has many values: a column for each row of the statistics."""
    rows = [row for row in table["rows"] if any(side["summary"] for side in row["sides"])]
    if not rows:
        return
    width = 12
    left = max(len(side["key"]) for side in comparison["sides"]) * 2 + len(" against  first_q ")
    base = comparison["sides"][comparison["base"]]["key"]
    yield "spread: " + "; ".join(f"{at}: {row['title']}" for at, row in enumerate(rows, 1))
    yield " " * left + "".join(str(at).rjust(width) for at in range(1, len(rows) + 1))
    for at, side in enumerate(comparison["sides"]):
        for field, name in SUMMARY:
            cells = "".join(_spread(row, at, field).rjust(width) for row in rows)
            yield f"{side['key']} {name}".ljust(left) + cells
    for at, side in enumerate(comparison["sides"]):
        if at != comparison["base"]:
            for key, name in (("change_mean", "mean"), ("change_median", "median")):
                cells = "".join(_change(row["sides"][at], key).rjust(width) for row in rows)
                yield f"{side['key']} against {base} {name}".ljust(left) + cells
    yield "significant by 2020's t test, and by 2024's intervals: " + _significant(comparison, rows)


def _spread(row: Shape, at: int, field: str) -> str:
    summary: Mapping[str, Any] | None = row["sides"][at]["summary"]
    return "-" if summary is None else f"{summary[field] / _scale(row):.1f}"


def _change(side: Shape, key: str) -> str:
    value: Any = side.get(key)
    return "-" if value is None else f"{value}"


def _significant(comparison: Comparison, rows: Sequence[Shape]) -> str:
    words = []
    for at, side in enumerate(comparison["sides"]):
        if at == comparison["base"]:
            continue
        for number, row in enumerate(rows, 1):
            cell = row["sides"][at]
            by = [
                year
                for year, test in (("2020", cell["t_test"]), ("2024", cell["intervals"]))
                if test and test["significant"]
            ]
            if by:
                words.append(f"{side['key']} {number} ({' '.join(by)})")
    return ", ".join(words) or "none"


def _findings(comparison: Comparison) -> Iterator[str]:
    yield "findings on one side only"
    for side, reason in zip(comparison["sides"], comparison["findings"]["absent"], strict=True):
        if reason is not None:
            yield f"  {side['key']}: {reason}"
    only = [kind for kind in comparison["findings"]["kinds"] if kind["only"] is not None]
    if not only:
        yield "  none"
    for kind in only[:SHOWN_FINDINGS]:
        keys = ", ".join(comparison["sides"][at]["key"] for at in kind["only"] or ())
        worst = next(side["worst"] for side in kind["sides"] if side["worst"])
        count = sum(side["count"] for side in kind["sides"])
        yield f"  {keys}: {kind['id']} ({count}, {kind['label']}): {worst['summary']}"
    if len(only) > SHOWN_FINDINGS:
        yield f"  and {len(only) - SHOWN_FINDINGS} more kinds"


LEAST_SIDES: Final = 2

app = new_app()


def sides_of(paths: Sequence[str], groups: Sequence[str]) -> list[tuple[str, list[str]]]:
    """The sides that the arguments name: each path one, each `--group NAME=PATH,PATH` one. Raises UsageError."""
    sides = [("+".join(Path(part).name or part for part in path.split("+")), [path]) for path in paths]
    for group in groups:
        name, equals, runs = group.partition("=")
        found = [run for run in runs.split(",") if run]
        if not name or not equals or not found:
            raise UsageError(f"--group {group}: expected NAME=PATH,PATH: a name and its runs")
        sides.append((name, found))
    if len(sides) < LEAST_SIDES:
        raise UsageError(f"expected at least two analyses to compare, found {len(sides)}")
    if sum(len(runs) for _, runs in sides) > MAX_ANALYSES:
        raise UsageError(f"expected at most {MAX_ANALYSES} analyses to compare")
    return sides


def _wanted(path: str, tolerant: bool) -> Wanted:
    """Inputs of a name: a bundle; a recording with its companion files; a folder with one; files joined by `+`."""
    parts = [path] if Path(path).exists() else path.split("+")
    files = [Path(part) for part in parts]
    first = files[0]
    if len(files) > 1:
        return Wanted(files, options=ReadOptions(tolerant))
    if first.is_dir() and (first / MANIFEST).is_file():
        return Wanted([first])
    if not first.exists():
        # Reading it says so, in the words that every command has for it.
        return Wanted([first], options=ReadOptions(tolerant))
    found = list(recordings([first], sampled=False))
    if len(found) != 1:
        raise UsageError(
            f"{path} is a folder with {len(found)} recordings; name a bundle, one recording, or files joined by +"
        )
    return Wanted([found[0].recording, *found[0].companions], options=ReadOptions(tolerant))


def bundle_of(stack: ExitStack, path: str, tolerant: bool) -> OpenedBundle:
    """Bundle of a name, open until the stack closes."""
    return stack.enter_context(opened(_wanted(path, tolerant)))


def recording_of(stack: ExitStack, path: str, window: Window, tolerant: bool) -> Recording:
    """Window of the bundle of a name."""
    return recorded(bundle_of(stack, path, tolerant), path, window)


def recorded(bundle: OpenedBundle, path: str, window: Window) -> Recording:
    """The window of a bundle that is compared."""
    return Recording(bundle.engine, bundle.manifest, window_of(bundle.manifest, *window), path)


@app.command()
def compare(
    paths: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="A B [C...]",
            help="Each is a kept bundle, a recording with its companion files, a folder with one recording, or files joined by +.",
        ),
    ] = None,
    group: Annotated[
        list[str] | None,
        typer.Option(
            "--group",
            metavar="NAME=PATH,PATH",
            help="One side with several runs, compared run by run; may be repeated.",
        ),
    ] = None,
    base: Annotated[int, typer.Option(min=1, metavar="N", help="Side that the others are compared with.")] = 1,
    from_ns: From = None,
    to_ns: To = None,
    step: Annotated[
        float | None, typer.Option(metavar="S", help="Step of the utilisation tables, in seconds (default: 5).")
    ] = None,
    decisions: Annotated[
        bool,
        typer.Option("--decisions", help="Print which kernel decisions changed, and by which rules."),
    ] = False,
    tolerant: Tolerant = False,
    json: JsonFile = None,
) -> None:
    """Print two or more analyses side by side, with statistics."""
    limit_memory()
    sides = sides_of(paths or [], group or [])
    step_ns = None if step is None else ns_of("--step", step)
    check_window((from_ns, to_ns))
    if base > len(sides):
        raise UsageError(f"--base {base}: there are {len(sides)} sides")

    with ExitStack() as stack:
        window = (from_ns, to_ns)
        runs = [(name, [recording_of(stack, path, window, tolerant) for path in paths]) for name, paths in sides]
        if not all(fits(run.window, step_ns) for _, side in runs for run in side):
            raise UsageError(f"--step: the window has more than {MAX_STEPS} steps of that length")
        comparison = build_comparison(runs, base - 1, step_ns, decisions=decisions)
    write_report(comparison, json, lambda: decisions_page(comparison) if decisions else page(comparison))
