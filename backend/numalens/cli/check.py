"""`numalens check`: decides whether a build fails."""

import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated, Any, ClassVar, Final

import typer
from typing_extensions import override

from numalens.cli.app import EXITS, Command
from numalens.cli.compare import bundle_of, decision_lines, recorded
from numalens.cli.inputs import OpenedBundle, check_window
from numalens.cli.limited import limit_memory
from numalens.cli.options import From, JsonFile, To, Tolerant
from numalens.cli.output import write_report
from numalens.cli.pages import write_recording
from numalens.cli.usage import UsageError, new_app
from numalens.report.compare import MAX_ANALYSES, build_comparison
from numalens.report.compare.check import DEFAULT, check, failures, read_thresholds
from numalens.report.compare.check_formats import as_json, junit, text

AGAINST: Final = "--against"
WORSE: Final = 4

app = new_app()


class _Check(Command):
    """A command whose `--against` takes all paths after it: `old/*.dat --against new/*.dat`."""

    exits: ClassVar = {**EXITS, WORSE: "A threshold is exceeded, or its value is not recorded."}

    @override
    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        spread: list[str] = []
        behind = False
        for each in args:
            if each == AGAINST:
                behind = True
            elif each.startswith("-"):
                behind = False
                spread.append(each)
            else:
                spread += [AGAINST, each] if behind else [each]
        return super().parse_args(ctx, spread)


@app.command(cls=_Check)
def check_runs(
    base: Annotated[
        list[str],
        typer.Argument(
            metavar="BASE",
            help="Baseline runs: each a kept bundle, a recording, a folder with one, or files joined by +.",
        ),
    ],
    against: Annotated[
        list[str] | None,
        typer.Option(AGAINST, metavar="NEW...", help="New runs to check; takes all paths that follow."),
    ] = None,
    thresholds: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="TOML file (default: wakeup p99 and idle CPUs while tasks wait, 10 % each)."),
    ] = None,
    pages: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Write each run into this folder as a self-contained page."),
    ] = None,
    junit_file: Annotated[Path | None, typer.Option("--junit", metavar="FILE", help="Write JUnit's XML.")] = None,
    strict: Annotated[
        bool,
        typer.Option(
            "--strict", help="Also fail when the runs vary too much to detect a change as large as a threshold."
        ),
    ] = False,
    decisions: Annotated[
        bool,
        typer.Option("--decisions", help="Also print which kernel decisions changed; they never fail the check."),
    ] = False,
    from_ns: From = None,
    to_ns: To = None,
    tolerant: Tolerant = False,
    json: JsonFile = None,
) -> None:
    """Compare new runs with a baseline and fail on a regression."""
    limit_memory()
    if not against:
        raise UsageError("expected --against followed by at least one run")
    if len(base) + len(against) > MAX_ANALYSES:
        raise UsageError(f"expected at most {MAX_ANALYSES} runs")
    check_window((from_ns, to_ns))
    try:
        limits = DEFAULT if thresholds is None else read_thresholds(thresholds)
        with ExitStack() as stack:
            opened = {
                name: [(path, bundle_of(stack, path, tolerant)) for path in paths]
                for name, paths in (("base", base), ("new", against))
            }
            sides = [
                (name, [recorded(bundle, path, (from_ns, to_ns)) for path, bundle in runs])
                for name, runs in opened.items()
            ]
            comparison = build_comparison(sides, decisions=decisions)
            if pages is not None:
                _write_pages(opened, pages)
        checked = check(comparison, limits)
    except ValueError as error:
        if type(error) is not ValueError:
            raise
        raise UsageError(str(error)) from None
    if junit_file is not None:
        junit_file.write_text(junit(comparison, checked), encoding="utf-8")
    write_report(
        as_json(comparison, checked),
        json,
        lambda: text(comparison, checked) + "".join(f"{line}\n" for line in decision_lines(comparison)),
    )
    if failures(checked, strict):
        sys.exit(WORSE)


def _write_pages(opened: Mapping[str, Sequence[tuple[str, OpenedBundle]]], folder: Path) -> None:
    """Writes each run as a page of its own."""
    folder.mkdir(parents=True, exist_ok=True)
    for side, runs in opened.items():
        for number, (path, bundle) in enumerate(runs, 1):
            with (folder / f"{side}-{number}.html").open("wb") as file:
                write_recording(bundle, f"{side} {number}: {path}", file.write)
