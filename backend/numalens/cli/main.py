"""The command line: names, options and exit status are the contract that scripts rely on."""

import math
import sys
from pathlib import Path
from typing import Annotated, Final, Literal

import typer
from numalens_native import InputError

from numalens import __version__
from numalens.cli import analyze as analyze_command
from numalens.cli import compare as compare_command
from numalens.cli import convert as convert_command
from numalens.cli import events as events_command
from numalens.cli import fleet as fleet_command
from numalens.cli import ilb_table as ilb_command
from numalens.cli import inputs_table as inputs_command
from numalens.cli import numa_table as numa_command
from numalens.cli import people as people_command
from numalens.cli import psi_table as psi_command
from numalens.cli import token as token_command
from numalens.cli.inputs import NS_LIMIT, UsageError, Wanted, parse_offsets
from numalens.cli.plain import print_plainly
from numalens.errors import FolderInUseError, SentenceError
from numalens.report import MAX_HZ, ReportOptions, Rules
from numalens.store.options import ReadOptions

FAILED: Final = 1
USAGE: Final = 2
REJECTED: Final = 3

app = typer.Typer(
    name="numalens",
    help="Linux scheduler and NUMA traces: upload, decode, look, share.",
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

app.add_typer(token_command.app, name="token")
app.add_typer(people_command.app, name="people")
app.add_typer(fleet_command.app, name="fleet")

Files = Annotated[
    list[Path],
    typer.Argument(
        metavar="FILE", help="Recordings and side files, read as one analysis; a folder of them; or one bundle folder."
    ),
]
From = Annotated[int | None, typer.Option("--from", metavar="NS", min=0, help="Begin, in ns of the trace's clock.")]
Tolerant = Annotated[
    bool, typer.Option("--tolerant", help="Skip what is damaged instead of failing, and tell what was skipped.")
]
Offsets = Annotated[
    list[str] | None,
    typer.Option(
        "--offset",
        metavar="NAME=NS",
        help="Add NS to the times of the input NAME, so that they are times of the trace's clock; may be repeated.",
    ),
]
To = Annotated[int | None, typer.Option("--to", metavar="NS", min=0, help="End, in ns of the trace's clock.")]

Recordings = Annotated[
    list[Path], typer.Argument(metavar="PATH", help="Recordings, and folders that are searched for them.")
]
TableFile = Annotated[
    str | None,
    typer.Option("--json", metavar="FILE", help="Write the table; `-` prints it alone on standard output."),
]
OutFile = Annotated[Path | None, typer.Option("-o", metavar="FILE", help="Write to a file instead of standard output.")]
Hz = Annotated[
    int | None,
    typer.Option("--hz", metavar="N", min=1, max=MAX_HZ, help="Jiffies per second, when the recording does not tell."),
]


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"numalens {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Linux scheduler and NUMA traces: upload, decode, look, share."""


@app.command()
def serve(
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on; 0 takes a free one.")] = 8000,
    data: Annotated[Path | None, typer.Option(metavar="DIR", help="Data folder (also NUMALENS_DATA).")] = None,
    sample: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Recording to open in an empty data folder.")
    ] = None,
    bundles: Annotated[
        list[Path] | None, typer.Argument(metavar="BUNDLE", help="Bundles kept by `analyze -o`, to be opened too.")
    ] = None,
) -> None:
    """Run the web application and its API."""
    # The web and database libraries take a second to load, which the other commands do not need to spend.
    from numalens.cli import serve as serve_command  # noqa: PLC0415

    serve_command.run(host, port, data, sample, bundles or [])


@app.command()
def worker(
    scheduler: Annotated[
        str,
        typer.Option(metavar="URL", envvar="NUMALENS_SCHEDULER", help="The Dask scheduler, tcp://host:8786."),
    ],
    memory: Annotated[
        int | None,
        typer.Option(
            metavar="BYTES", min=1, help="Memory of all readings together; most of the machine's unless given."
        ),
    ] = None,
    jobs: Annotated[
        int | None, typer.Option(min=1, help="Most readings at the same time; one for each CPU unless given.")
    ] = None,
    folder: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Where files are fetched and unpacked; a temporary folder else.")
    ] = None,
) -> None:
    """Read recordings for a server elsewhere that uses the same Dask scheduler and the same store."""
    from numalens.cli import worker as worker_command  # noqa: PLC0415  (only this command needs the cluster's libraries)

    worker_command.run(scheduler, memory, jobs, folder)


@app.command()
def analyze(
    files: Files,
    topology: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="What tells nodes and CPUs: output of `lscpu -p` or `numactl -H`."),
    ] = None,
    from_ns: From = None,
    to_ns: To = None,
    tolerant: Tolerant = False,
    offset: Offsets = None,
    degree: Annotated[
        int | None,
        typer.Option(
            min=0,
            max=100,
            help="What if cling's degree were this, in percent? Else as recorded, 20 where nothing tells.",
        ),
    ] = None,
    psi_rules: Annotated[
        Rules | None, typer.Option("--psi-rules", help="Pressure by the rules of this kernel version instead.")
    ] = None,
    hz: Hz = None,
    step: Annotated[
        float | None, typer.Option(metavar="S", help="Step of the utilisation table, in seconds; 5 unless given.")
    ] = None,
    json: Annotated[
        str | None,
        typer.Option("--json", metavar="FILE", help="Write the report; `-` prints it alone on standard output."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("-o", metavar="DIR", help="Keep the analysis bundle in a new folder.")
    ] = None,
) -> None:
    """Read any mix of inputs as one analysis and print a summary."""
    wanted = Wanted(files, topology, _options(tolerant, offset), hz)
    options = ReportOptions(degree, psi_rules, hz, None if step is None else _ns("--step", step))
    analyze_command.run(wanted, (from_ns, to_ns), options, json, out)


@app.command()
def compare(
    paths: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="A B [C...]",
            help="Each one analysis: a kept bundle, a recording with what lies beside it, a folder with one, or files joined by +.",
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
        float | None, typer.Option(metavar="S", help="Step of the utilisation tables, in seconds; 5 unless given.")
    ] = None,
    tolerant: Tolerant = False,
    json: Annotated[
        str | None,
        typer.Option("--json", metavar="FILE", help="Write the comparison; `-` prints it alone on standard output."),
    ] = None,
) -> None:
    """Print two or more analyses beside each other, with statistics."""
    sides = compare_command.sides_of(paths or [], group or [])
    step_ns = None if step is None else _ns("--step", step)
    compare_command.run(compare_command.Asked(sides, base - 1, (from_ns, to_ns), step_ns, tolerant), json)


@app.command()
def events(
    files: Files,
    event: Annotated[str, typer.Option("--type", metavar="EVENT", help="Name of an event, or system:name.")],
    fmt: Annotated[Literal["csv", "ndjson", "arrow"], typer.Option("--format", help="Form of the output.")] = "csv",
    from_ns: From = None,
    to_ns: To = None,
    tolerant: Tolerant = False,
    offset: Offsets = None,
    out: OutFile = None,
) -> None:
    """Print the decoded events of one type: every field, ascending time."""
    wanted = Wanted(files, options=_options(tolerant, offset))
    events_command.run(wanted, event, fmt, (from_ns, to_ns), out)


@app.command()
def convert(
    files: Files,
    to: Annotated[Literal["pftrace"], typer.Option("--to", help="Format: a Perfetto trace.")] = "pftrace",
    from_ns: Annotated[
        int | None, typer.Option("--from-ns", metavar="NS", min=0, help="Begin, in ns of the trace's clock.")
    ] = None,
    to_ns: Annotated[
        int | None, typer.Option("--to-ns", metavar="NS", min=0, help="End, in ns of the trace's clock.")
    ] = None,
    tolerant: Tolerant = False,
    offset: Offsets = None,
    out: OutFile = None,
) -> None:
    """Write all events, and what the replays found, as a Perfetto trace that Perfetto's own tools open."""
    _ = to  # The only format so far; it is asked for by name, so that others can come.
    wanted = Wanted(files, options=_options(tolerant, offset))
    convert_command.run(wanted, (from_ns, to_ns), out)


@app.command()
def query(
    arguments: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE... SQL",
            help="Recordings and side files, a folder of them, or one bundle folder; and last the query, or - to read it "
            "from standard input.",
        ),
    ],
    from_ns: Annotated[
        int | None, typer.Option("--from-ns", metavar="NS", min=0, help="Ask only of events from here on.")
    ] = None,
    to_ns: Annotated[
        int | None, typer.Option("--to-ns", metavar="NS", min=0, help="Ask only of events up to here.")
    ] = None,
    limit: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="Most rows; 1000 unless given, and all of them in CSV and Arrow."),
    ] = None,
    fmt: Annotated[
        Literal["table", "csv", "json", "arrow"], typer.Option("--format", help="Form of the output.")
    ] = "table",
    seconds: Annotated[float, typer.Option(metavar="S", min=0.001, help="Longest time of the query.")] = 600.0,
    program: Annotated[
        Path | None,
        typer.Option(
            "--trace-processor",
            metavar="FILE",
            envvar="NUMALENS_TRACE_PROCESSOR",
            help="A trace_processor_shell to be asked instead of Perfetto's WebAssembly.",
        ),
    ] = None,
    tolerant: Tolerant = False,
    offset: Offsets = None,
    out: OutFile = None,
) -> None:
    """Ask recordings in PerfettoSQL; modules of NumaLens are included by INCLUDE PERFETTO MODULE numalens.latency and others."""
    from numalens.cli import query as query_command  # noqa: PLC0415  (only this command needs the engine)

    *files, sql = arguments
    if not files:
        raise UsageError("expected recordings and behind them a query in one argument")
    if sql == "-":
        sql = sys.stdin.read()
    wanted = Wanted([Path(file) for file in files], options=_options(tolerant, offset))
    query_command.run(wanted, (from_ns, to_ns), query_command.Asked(sql, fmt, limit, seconds, program), out)


@app.command()
def inputs(
    paths: Annotated[
        list[Path], typer.Argument(metavar="PATH", help="Files, and folders that are searched for inputs.")
    ],
    check: Annotated[
        bool,
        typer.Option("--check", help="Compare with the counts that lie beside the files; status 1 when any differs."),
    ] = False,
    json: TableFile = None,
    tolerant: Tolerant = False,
) -> None:
    """Read each file by itself and print what it has: kind, counts, clock, length."""
    results = inputs_command.run(paths, check, json, tolerant)
    if inputs_command.REJECTED in results:
        raise typer.Exit(REJECTED)
    if inputs_command.DIFFERENT in results:
        raise typer.Exit(FAILED)


@app.command()
def psi(
    paths: Annotated[
        list[Path],
        typer.Argument(
            metavar="PATH", help="Recordings with pressure samples beside them, and folders that are searched."
        ),
    ],
    check: Annotated[
        bool, typer.Option("--check", help="Status 1 when a replay is further from its samples than is allowed.")
    ] = False,
    json: TableFile = None,
    warm_up: Annotated[
        float,
        typer.Option(
            "--warm-up", metavar="S", help="Seconds left out at the begin: no event has told of many tasks yet."
        ),
    ] = 1.0,
    all_resources: Annotated[
        bool, typer.Option("--all-resources", help="Also memory and io, and the cgroups; without it only cpu.")
    ] = False,
    hz: Hz = None,
) -> None:
    """Replay the pressure of recordings and print it beside what their kernels counted."""
    wanted = psi_command.Wanted(_ns("--warm-up", warm_up, least=0), all_resources, hz)
    verdicts = psi_command.run(paths, wanted, json)
    if psi_command.REJECTED in verdicts:
        raise typer.Exit(REJECTED)
    if check and psi_command.BEYOND in verdicts:
        raise typer.Exit(FAILED)


@app.command()
def numa(
    paths: Recordings,
    json: TableFile = None,
) -> None:
    """Count what the NUMA balancer did in recordings, and print how much of cling a replay comes to."""
    if numa_command.REJECTED in numa_command.run(paths, json):
        raise typer.Exit(REJECTED)


@app.command()
def ilb(
    paths: Recordings,
    json: TableFile = None,
) -> None:
    """Print recorded kicks of the idle load balancer beside a model's, idle time beside samples, and three models."""
    if ilb_command.REJECTED in ilb_command.run(paths, json):
        raise typer.Exit(REJECTED)


def _ns(option: str, seconds: float, least: int = 1) -> int:
    """Seconds as ns. Raises UsageError for what is no length of time."""
    ns = seconds * 1e9
    if not math.isfinite(ns) or not least <= round(ns) < NS_LIMIT:
        raise UsageError(f"{option} {seconds:g} is no number of seconds {'above' if least else 'from'} 0")
    return round(ns)


def _options(tolerant: bool, offsets: list[str] | None) -> ReadOptions:
    return ReadOptions(tolerant, parse_offsets(offsets or []))


@app.command()
def backup(
    target: Annotated[
        Path, typer.Argument(metavar="DIR|FILE", help="A new folder, or an archive: .tar, .tar.gz, .tgz.")
    ],
    data: Annotated[Path | None, typer.Option("--data", metavar="DIR", help="The server's data folder.")] = None,
) -> None:
    """Copy a server's data so that it can be put back; the server may be running."""
    from numalens.cli import backup as backup_command  # noqa: PLC0415  (only these commands need the database)

    backup_command.take(data, target)


@app.command()
def restore(
    source: Annotated[Path, typer.Argument(metavar="DIR|FILE", help="What `numalens backup` made.")],
    data: Annotated[Path | None, typer.Option("--data", metavar="DIR", help="The new data folder.")] = None,
) -> None:
    """Make a new data folder of a backup, after checking all of it."""
    from numalens.cli import backup as backup_command  # noqa: PLC0415

    backup_command.put_back(source, data)


@app.command(context_settings={"allow_interspersed_args": False})
def record(
    command: Annotated[
        list[str] | None, typer.Argument(metavar="COMMAND", help="Record as long as this command runs.")
    ] = None,
    out: Annotated[Path, typer.Option(metavar="DIR", help="Where the bundle goes.")] = Path(),
    duration: Annotated[
        float | None, typer.Option(metavar="S", help="Seconds to record; 10 unless there is a command.")
    ] = None,
    light: Annotated[bool, typer.Option("--light", help="Fewer events and samples, for big machines.")] = False,
    via: Annotated[
        Literal["auto", "trace-cmd", "tracefs"], typer.Option(help="How events are recorded; auto tries trace-cmd.")
    ] = "auto",
    buffer_kb: Annotated[
        int | None, typer.Option("--buffer-kb", metavar="N", min=64, max=1 << 22, help="Buffer of each CPU, KiB.")
    ] = None,
    events: Annotated[
        str, typer.Option(metavar="A,B", help="More events than the usual: name, system:name or system:*.")
    ] = "",
    max_mb: Annotated[
        int, typer.Option("--max-mb", metavar="N", min=1, help="Stop when the trace has this many MB.")
    ] = 2000,
    numa_maps: Annotated[
        bool, typer.Option("--numa-maps", help="Also the memory map by node of the busiest processes (costly).")
    ] = False,
) -> None:
    """Record this machine: events, PSI, vmstat, cgroups and topology as one bundle; prints the bundle's path."""
    from numalens.cli import record as record_command  # noqa: PLC0415  (only this command needs the recorder)
    from numalens.recorder.outcome import Request  # noqa: PLC0415

    if duration is not None and not 0 < duration < math.inf:
        raise UsageError(f"--duration {duration:g} is no number of seconds above 0")
    wanted = tuple(name for name in (part.strip() for part in events.split(",")) if name)
    record_command.run(Request(out, duration, light, via, buffer_kb, wanted, tuple(command or ()), max_mb, numa_maps))


def main() -> None:
    """Entry of the console script; turns errors into one sentence on stderr and the contract's exit status."""
    print_plainly()
    try:
        app()
    except InputError as error:
        _end(str(error), REJECTED)
    except UsageError as error:
        _end(str(error), USAGE)
    except (FolderInUseError, SentenceError) as error:
        _end(str(error), FAILED)
    except BrokenPipeError:
        # The reader of our output (`head`) has enough; Python must not complain about it once more at exit.
        sys.stdout = None
        sys.exit(FAILED)
    except KeyboardInterrupt:
        _end("interrupted", FAILED)
    except OSError as error:
        _end(f"{error.filename}: {error.strerror}" if error.filename else str(error), FAILED)
    except RuntimeError as error:
        _end(str(error), FAILED)
    except MemoryError:
        _end("there is not enough memory", FAILED)


def _end(sentence: str, status: int) -> None:
    sys.stderr.write(f"numalens: {sentence}\n")
    sys.exit(status)
