"""`numalens explain`: where the time of a task and of its slow requests went."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from numalens.cli.inputs import Wanted, check_window, opened
from numalens.cli.limited import limit_memory
from numalens.cli.options import Files, From, Offsets, To, Tolerant, read_options
from numalens.cli.output import write_report
from numalens.cli.tables import aligned, amount, escaped
from numalens.cli.usage import UsageError, new_app

app = new_app()

SLOW: float = 99
LISTED = 12
"""Causes that a table has at most."""
NAMED = 3
"""Tasks that a row names at most."""


@app.command()
def explain(
    files: Files,
    task: Annotated[
        str | None,
        typer.Option(
            metavar="COMM|PID",
            help="Name of tasks, or pid of a task or process (default: the tasks that served the requests).",
        ),
    ] = None,
    requests: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Log of requests: CSV or NDJSON with start, duration and optionally tid, or the output of `pgbench -l`.",
        ),
    ] = None,
    slow: Annotated[
        float,
        typer.Option(metavar="PERCENTILE", min=0, max=100, help="Requests at or above this percentile are slow."),
    ] = SLOW,
    from_ns: From = None,
    to_ns: To = None,
    tolerant: Tolerant = False,
    offset: Offsets = None,
    json_file: Annotated[
        str | None,
        typer.Option("--json", metavar="FILE", help="Write the answer; `-` prints it alone on standard output."),
    ] = None,
) -> None:
    """Show where the time of a task went, and what its slow requests waited for."""
    limit_memory()
    window = (from_ns, to_ns)
    check_window(window)
    log = None if requests is None else (requests.name, _text(requests))
    question = {"task": task, "slow": slow, "from_ns": from_ns, "to_ns": to_ns}
    with opened(Wanted(files, options=read_options(tolerant, offset))) as bundle:
        answer: dict[str, Any] = json.loads(bundle.engine.explain(json.dumps(question), log))
    write_report(answer, json_file, lambda: page(answer))


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not UTF-8 text"
        raise UsageError(f"--requests {path} cannot be read: {reason}") from error


def page(answer: Mapping[str, Any]) -> str:
    """The answer as text: one paragraph, time by state and cause, causes of slow requests, and the parts of the slowest."""
    blocks = [" ".join(escaped(text) for text in [answer["summary"], *answer["notes"]]) + "\n", _states(answer)]
    requests = answer["requests"]
    if requests is not None:
        blocks.append(_slow(requests["slow"]))
        if requests["worst"]:
            blocks.append(_worst(requests["worst"][0]))
    return "\n".join(blocks)


def _states(answer: Mapping[str, Any]) -> str:
    whole = sum(row["ns"] for rows in answer["states"].values() for row in rows)
    lines = [
        [
            state,
            row["title"],
            amount(row["ns"], "ns"),
            _share(100 * row["ns"] / whole),
            escaped(", ".join(list(dict.fromkeys(by["comm"] for by in row["by"]))[:NAMED]) or "-"),
            escaped(row.get("resource") or "-"),
            row["provenance"],
        ]
        for state, rows in answer["states"].items()
        for row in rows[:LISTED]
    ]
    heads = ["state", "cause", "time", "share", "by", "resource", "known"]
    return aligned([heads, *lines], [head in {"time", "share"} for head in heads])


def _share(percent: float) -> str:
    return "<1 %" if percent < 1 else f"{percent:.0f} %"


def _slow(slow: Mapping[str, Any]) -> str:
    lines = [
        [
            row["state"],
            row["title"],
            amount(row["ms"] * 1e6, "ns"),
            _share(row["percent"]),
            escaped(row["by"] or "-"),
            escaped(row.get("through") or "-"),
            row["provenance"],
        ]
        for row in slow["causes"][:LISTED]
    ]
    heads = ["slow requests", "cause", "time", "share", "by", "through", "known"]
    return aligned([heads, *lines], [head in {"time", "share"} for head in heads])


def _worst(worst: Mapping[str, Any]) -> str:
    begin = worst["start_ns"]
    lines = [
        [
            amount(part["from_ns"] - begin, "ns"),
            amount(part["to_ns"] - part["from_ns"], "ns"),
            part["state"],
            part["title"],
            escaped(part["by"] or "-"),
        ]
        for part in worst["parts"]
    ]
    heads = ["after", "for", "state", "cause", "by"]
    table = aligned([heads, *lines], [head in {"after", "for"} for head in heads])
    return f"The slowest request, {begin / 1e9:.6f} s: {escaped(worst['summary'])}\n{table}"
