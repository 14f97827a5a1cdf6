"""Errors of a Perfetto trace or its engine, each in one sentence."""


class PerfettoError(Exception):
    """A trace was not read. `str(error)` is one sentence without the file's name; the engine it came from is of no more use."""

    expected: str = "a Perfetto trace that the trace processor can read"
    """Expected content."""


class MissingEngineError(PerfettoError):
    """The trace processor is not installed, or this machine cannot run it."""

    expected = "an installed Perfetto trace processor"


class EngineTimeoutError(PerfettoError):
    """The trace processor worked longer than allowed."""

    expected = "a trace that is read within the time allowed"


class EngineMemoryError(PerfettoError):
    """The trace processor needs more memory than allowed."""

    expected = "a trace that is read within the memory allowed"


class QueryEndedEngineError(PerfettoError):
    """The trace processor ended on a query, or gave an unusable answer."""

    expected = "a query that the trace processor survives"


class SqlError(PerfettoError):
    """A query was refused. The engine can continue."""

    expected = "a query that the trace processor understands"
    reason: str = ""
    """The trace processor's own words, without a full stop."""
    line: int | None = None
    """Position in the query, counted from 1, if known."""
    column: int | None = None
