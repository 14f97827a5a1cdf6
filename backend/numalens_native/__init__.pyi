"""Types of the compiled module: the readers and the engine behind one thin binding.

Times are nanoseconds of the trace's own clock unless a name says otherwise. Every call that does real work releases
the GIL; a defect met there is a RuntimeError. Answers that are JSON come as text, answers that are columns come as Arrow IPC streams.
"""

from collections.abc import Callable

__version__: str

class InputError(ValueError):
    """An input was rejected. `str(error)` is one sentence that names the file, the place and what was expected there."""

    name: str
    """The input's name as the caller gave it."""
    offset: int | None
    """Where in the input: a byte offset or a line number, as `unit` says; None when the place is the whole input."""
    unit: str
    """`byte` or `line`."""
    expected: str
    """What should have been there."""

class OptionError(ValueError):
    """An option of a section is wrong. `str(error)` says which one and what was expected."""

class DamagedError(ValueError):
    """A bundle does not hold together. `str(error)` says what of it."""

class NotRecordedError(LookupError):
    """Nothing recorded tells of what was wanted. `str(error)` says what is missing."""

class LimitError(InputError):
    """An input asked for more than the caller allows."""

    cap: str
    """The name of the cap: `max_events` or `max_bytes`."""
    limit: int
    """The value of the cap."""

def confine(*, read: list[str], write: list[str], programs: bool = False) -> list[str]:
    """Takes from the calling thread, and from those that it starts later, what reading files does not need, for good.

    Left are the files and folders of `read`, files and folders in those of `write`, and with `programs` starting what can be
    read. No network, no signals to others. Returns which of the kernel's layers hold now, `landlock` and `seccomp`: those
    that the host has. Raises OSError when one that it has refuses.
    """

def catalogue() -> bytes:
    """The wording of findings, causes and rows of figures, as JSON of the shape `Catalogue`.

    `findings`: `id`, `title`, `meaning`, `kernel` (functions, with the version where it matters), `threshold`, `cost` (what it
    counts) and `evidence` (`tab`, `view`, `panel`: ids of the page's links; `title`). `wait_causes` and `waste_causes`: `id`,
    `title`, `meaning`, `unit`, `kernel`, `color` (CSS) and `inferred`. `ops`: the rows of mmtests' table, with `better`.
    """

def schemas() -> bytes:
    """What the service can be asked for, as JSON.

    `sections`: by name `about` (what it tells), `options` and `answer`, both JSON schemas, `answer` with references to
    `components`; `report`: the schema of the report, with references to `report_components`. Moments are strings in the
    sections and numbers in the report.
    """

def sniff(path: str, name: str) -> str:
    """Says what the file at `path` is: a kind of the report (`trace.dat`, `psi`, `topology`, ...) or `archive`.

    Raises InputError, naming `name`, for anything else.
    """

def refused(files: list[tuple[str, int, bytes]]) -> list[str | None]:
    """Says which files cannot be read, by their names, sizes and first bytes: a sentence for each of those, else None.

    Notes and the parts of one input are no such files where something else can be read.
    """

def recordings() -> list[str]:
    """The kinds that have events: `trace.dat`, `perf.data`, ..."""

def unpack(
    inputs: list[tuple[str, str]],
    out_dir: str,
    *,
    progress: Callable[[str, int, int], None] | None = None,
    max_bytes: int | None = None,
    tolerant: bool = False,
) -> str:
    """Lists what there is to read in `(name, path)` inputs, as JSON; archives among them are unpacked below `out_dir`.

    Each entry: `name` as shown (`bundle.tgz/trace.dat`), `path`, `kind` (null for a file that is of no kind that is read),
    `bytes`, `source` (position of the input it came from), `notes` and `skipped` (parts of the archive that were left out,
    told with its first file). Inputs that are no archives come back as they are. `progress` gets the stage `unpacking`
    (bytes of one archive). `max_bytes` caps what is written. Raises InputError for an input of no known kind, a damaged
    archive (unless `tolerant`), a bomb, or an archive with nothing to read; OSError when `out_dir` cannot be written.
    """

def ingest(
    inputs: list[tuple[str, str]],
    out_dir: str,
    *,
    progress: Callable[[str, int, int], None] | None = None,
    max_events: int | None = None,
    max_bytes: int | None = None,
    tolerant: bool = False,
    offsets: dict[int, int] | None = None,
    columns: dict[int, str] | None = None,
    hz: int | None = None,
    from_ns: int | None = None,
    to_ns: int | None = None,
    tasks: set[int] | None = None,
    pseudonyms: bool = False,
) -> str:
    """Reads `(name, path)` inputs into the bundle folder `out_dir` (created; must be empty) and returns its manifest as JSON.

    `progress(stage, done, total)` is called a few times a second with stage `decoding` (bytes of input) and `indexing`
    (events replayed); an exception it raises stops the work and is passed on. `max_events` caps the decoded events,
    `max_bytes` the bytes written. With `tolerant`, damaged parts of inputs are left out and told. `offsets` (ns, by
    position in `inputs`) are added to an input's times in place of what its clock tells. `columns` names, by position,
    the file with the trace processor's answers for each Perfetto trace. `hz` is the recorded kernel's CONFIG_HZ, where the
    caller knows it (ValueError beyond 1 to 10000). The last four make a copy for others: events with
    `from_ns <= ts <= to_ns` on the reference clock, those in which one of the threads `tasks` takes part (and all switches, the
    others' names replaced by `other`), and numbers for the names of tasks, cgroups, files and machines. Raises InputError for an input that cannot be
    read, LimitError for a cap, OSError when the folder cannot be written. The folder is incomplete after any error.
    """

def compare_decisions(query: str) -> str:
    """How the distributions of decisions differ from a base, as JSON.

    `query` is JSON: `by` (`windows` or `runs`), `base`, `browser` (moments as decimal strings), and `sides`: for each its runs,
    each the answer of the section `decisions` or null. Raises ValueError for anything else.
    """

def compare_metrics(query: str) -> str:
    """The tables of a comparison, as JSON.

    `query` is JSON: `by`, `base` and `sides`: for each its runs, each the answer of `Bundle.metrics`. Raises ValueError for
    anything else.
    """

def compare_rows(query: str) -> str:
    """The statistics of rows of a comparison, as JSON: one answer for each row, in order.

    `query` is JSON: `by` (`windows`, or `runs`: one value a run, the mean of its values), `base` (position of the side that
    the others are compared with), and `rows` of `better` (`higher`, `lower`, `neither`) and `sides`: for each its runs, each
    with `values`, where these are counts the `seconds` that each counts in, and `add` where they are parts of one. An answer has the `mean` that it tells
    (`harmonic` of what should be high and is above 0, else `arithmetic`) and its `sides`: `total` of counts, `mean`,
    `summary`, `percent`, `t_test` (the rule of 2020), `intervals` (that of 2024), the printed cells `cell_2020` and
    `cell_2024`, and `change_mean` and `change_median` in whole percents; null where nothing can be told. Raises ValueError for
    anything else.
    """

class Bundle:
    """An ingested bundle, opened by mapping its files. Safe to use from several threads."""

    def __init__(self, path: str, fetch: Callable[[str, int, int], None] | None = None) -> None:
        """Opens the bundle folder. Raises ValueError when it is not one, OSError when it cannot be read.

        With `fetch`, its files have their full length but not all bytes: `fetch(name, begin, end)` is called, from any
        thread, before bytes of the file `name` are read, and sees to it that they are there. What it raises, here and in
        every other call, is raised as it is.
        """

    def manifest(self) -> str:
        """The manifest, as JSON."""

    def timeline(self, lanes: list[tuple[str, int]], from_ns: int, to_ns: int, px: int) -> bytes:
        """The items of the lanes (`("node", nid)` or `("cpu", cpu)`) in [from_ns, to_ns), for a picture `px` pixels wide.

        An Arrow IPC stream of one record batch: lane u16, kind u8, t0 f64, t1 f64, busy f32, rt f32, wait f32,
        wait_max u32, task u32, count u32; t0 and t1 are ns after the schema metadata's `origin_ns`. Raises ValueError for a lane of
        another kind or more than 65535 lanes.
        """

    def slice_at(self, cpu: int, t_ns: int) -> str | None:
        """The task's stay on `cpu` around `t_ns`, as JSON; None when the CPU was idle or nobody knows."""

    def next_slice(self, pid: int, t_ns: int, forward: bool) -> str | None:
        """The first stay of `pid` on any CPU that starts after `t_ns` (or the last that starts before it), as JSON."""

    def analysis(self, section: str, from_ns: int, to_ns: int, options: str = "{}", *, browser: bool = False) -> bytes:
        """The answer of a section over [from_ns, to_ns], as JSON; no event is read or replayed for it.

        The sections of the service, their options and their answers are those of `schemas()`; besides these there are
        `wait_windows` (option `step_ns`), and `sampled`: what the samples of pressure say. The window is cut to
        the recording; the answer says `from_ns` and `to_ns`. An answer that cannot be given is `{"available": false,
        "reason": "..."}`. For a `browser` moments are decimal strings, and what is there has `"available": true`. Raises
        ValueError for another section, OptionError for an option that is unknown or wrong.
        """

    def metrics(self, from_ns: int, to_ns: int, step_ns: int) -> bytes:
        """Figures of [from_ns, to_ns] for comparisons, as JSON; those of steps have steps of `step_ns`.

        A list by table and section: `table`, `rows` and `otherwise`, the value of a figure that only other runs have. `rows`
        is `{"Ok": [...]}` or `{"Err": reason}`; a row has `name`, `title`, `unit`, `better` and `value`, likewise.
        """

    def report(self, from_ns: int | None = None, to_ns: int | None = None, options: str = "{}") -> bytes:
        """The report `numalens.report/1` as JSON, of [from_ns, to_ns]; an edge that is None is the common window's.

        Options: `degree` (cling's, percent), `psi_rules`, `hz`, `step_ns` (of the utilisation table). Raises OptionError for
        one that is unknown or wrong.
        """

    def explain(self, question: str, log: tuple[str, str] | None = None) -> bytes:
        """Where the time of a task and of its slow requests went, as JSON.

        `question` is JSON: `task` (name or pid), `slow` (percentile), `from_ns`, `to_ns`. `log` is the name of a log of requests and
        its text. Raises OptionError for a task or a log that does not fit the recording.
        """

    def tasks(self) -> bytes:
        """The (pid, name) pairs that ran: an Arrow IPC stream of task u32, pid i32, comm utf8, run_ns, first_ns, last_ns u64."""

    def export_events(
        self,
        event: str,
        fmt: str,
        out: Callable[[bytes], None],
        from_ns: int | None,
        to_ns: int | None,
    ) -> int:
        """Writes the events called `event` (`name` or `system:name`) with from_ns <= ts < to_ns, ascending, and returns their number.

        `fmt` is `csv`, `ndjson` or `arrow` (IPC stream). `out` receives the bytes in pieces; an exception it raises
        stops the work. Raises KeyError when the bundle has no such event, ValueError for another `fmt`.
        """

    def events(self, event: str, from_ns: int, to_ns: int) -> Table:
        """The events called `event` (`name` or `system:name`) with from_ns <= ts < to_ns, ascending; those of one input are
        not copied.

        Columns: `ts_ns` u64, `cpu` u32, the kernel's fields, `buffer`. Raises KeyError when the bundle has no such event.
        """

    def table(self, name: str, from_ns: int, to_ns: int) -> Table:
        """What was replayed of [from_ns, to_ns]: `waits`, `wait_causes`, `slices`, `states`, `findings`, `pressure`,
        `numa_attempts`, `cling` or `kicks`; columns, types and units are in docs/python.md.

        Raises NotRecordedError when nothing recorded tells of it, ValueError for another name.
        """

    def check_filter(self, filter: str) -> None:
        """Raises ValueError, one sentence with the place, for what is no filter or can mean nothing in this bundle."""

    def events_page(
        self,
        filter: str,
        from_ns: int | None = None,
        to_ns: int | None = None,
        *,
        after: tuple[int, int, int] | None = None,
        limit: int = 200,
    ) -> str:
        """The first `limit` events with from_ns <= ts < to_ns that a filter means, ascending, as JSON.

        They are counted once: of later pages of the same window, only what lies behind `after` is read.

        `events` (`ts_ns` as text, `cpu`, `system`, `event`, `input`, `fields` as pairs of texts), `matched` (how many the
        window has in all) and `next` (time, input and number of the last one, to be given as `after`; null behind the last).
        Raises ValueError like `check_filter`.
        """

    def export_found(
        self,
        filter: str,
        fmt: str,
        out: Callable[[bytes], None],
        from_ns: int | None,
        to_ns: int | None,
    ) -> int:
        """Writes the events that a filter means, of all types together, and returns their number.

        Columns: `ts_ns`, `cpu`, `event_type`, then the fields of all types, null where an event has no such field. Raises
        ValueError like `check_filter`; otherwise like `export_events`.
        """

    def export_trace(
        self,
        out: Callable[[bytes], None],
        from_ns: int | None = None,
        to_ns: int | None = None,
        *,
        tracks: bool = True,
    ) -> int:
        """Writes the events of all types in [from_ns, to_ns] as a Perfetto trace to `out` and, with `tracks`, what the replays
        found as tracks; returns the number of recorded events.

        A sched_waking with success = 0 is none of them: it is made of the wake-up at the same moment.
        """

    def export_samples(
        self,
        table: str,
        fmt: str,
        out: Callable[[bytes], None],
        from_ns: int | None,
        to_ns: int | None,
    ) -> int:
        """Writes the rows of a table of samples (`psi`, `vmstat`, ...) with from_ns <= ts < to_ns and returns their number.

        Rows without a place on the reference clock come only when neither bound is given. Raises KeyError when the bundle
        has no such table; otherwise like `export_events`.
        """

class Table:
    """Rows in Arrow's memory. `pyarrow.table`, `polars.DataFrame` and others take it without a copy, also when the bundle is
    gone.
    """

    provenance: str | None
    """How all rows are known; None where each has its own, and of events."""

    def __arrow_c_schema__(self) -> object:
        """A PyCapsule `arrow_schema`."""

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """A PyCapsule `arrow_array_stream`; `requested_schema` is not heeded."""

    def __len__(self) -> int:
        """The number of rows."""

    def columns(self) -> list[tuple[str, str]]:
        """Name and Arrow type of each column."""

class QueryRows:
    """The rows of a query of the trace processor, decoded from its encoded `QueryResult`; for one thread at a time."""

    truncated: bool
    """Whether there were more rows than are kept."""

    def __init__(self, max_rows: int, max_bytes: int) -> None:
        """Keeps at most `max_rows` rows, in batches of at most `max_bytes` encoded bytes together."""

    def take(self, part: bytes) -> bool:
        """Takes the next part of the answer; False when no further part is of use. Raises InputError for what is none."""

    def __len__(self) -> int:
        """How many rows are kept."""

    def columns(self) -> list[tuple[str, str]]:
        """Name and kind of each column: `integer`, `real`, `text`, `blob`, `mixed`, or `empty` without any value but nulls."""

    def json(self) -> bytes:
        """The rows as a JSON list of lists.

        Whole numbers are decimal text, bytes are hexadecimal text, floating-point numbers are numbers (`inf`, `-inf` and
        `nan` are text); in `mixed` columns everything is text.
        """

    def write(self, fmt: str, out: Callable[[bytes], None]) -> int:
        """Writes the rows as `csv`, `ndjson` or `arrow` (IPC stream) and returns their number.

        `mixed` columns are text. `out` receives the bytes in pieces; an exception it raises stops the work. Raises
        ValueError for another `fmt`.
        """
