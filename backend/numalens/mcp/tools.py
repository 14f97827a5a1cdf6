"""The tools of the Model Context Protocol, declared once: `numalens mcp` and a server offer the same."""

from collections.abc import Awaitable, Callable, Iterable
from typing import TYPE_CHECKING, Any, Protocol

from numalens.errors import SentenceError
from numalens.mcp.answers import GUIDE, TOKENS, View, bounded, explained, facts, findings, headline, wait_of

if TYPE_CHECKING:
    from mcp.server.mcpserver import MCPServer


class Recordings(Protocol):
    """Recordings that the caller of a tool may read. Raises ValueError and SentenceError with texts for the caller."""

    async def names(self) -> Iterable[str]:
        """Names that the other methods take as `recording`."""

    async def lines(
        self, recording: str, from_s: float | None, to_s: float | None, of: Callable[[View], list[str]]
    ) -> Iterable[str]:
        """Result of `of` for a window (seconds of the trace's clock), computed off the event loop."""

    async def rows(self, recording: str, from_s: float | None, to_s: float | None, sql: str) -> Iterable[str]:
        """The rows of a query over a window."""

    async def compared(self, base: str, new: str) -> Iterable[str]:
        """Differences between two recordings."""


def server_of(recordings_of: Callable[[Any], Recordings]) -> "MCPServer[Any]":
    """The tools over what `recordings_of` finds for the context of a call (`mcp.server.mcpserver.Context`).

    A tool's docstring is its description for the assistant.
    """
    from mcp.server.mcpserver import Context, MCPServer  # noqa: PLC0415  (an extra)
    from mcp.server.mcpserver.exceptions import ToolError  # noqa: PLC0415

    server: MCPServer[Any] = MCPServer("numalens", instructions=GUIDE, log_level="ERROR")

    async def answer(lines: Awaitable[Iterable[str]], most_tokens: int) -> str:
        try:
            return bounded(await lines, most_tokens)
        except (ValueError, SentenceError) as error:
            raise ToolError(bounded([str(error)], most_tokens)) from None

    @server.tool()
    async def recordings(ctx: Context, most_tokens: int = TOKENS) -> str:
        """Names that the other tools take as a recording."""
        return await answer(recordings_of(ctx).names(), most_tokens)

    def windowed(name: str, about: str, of: Callable[[View], list[str]]) -> None:
        async def tool(
            ctx: Context,
            recording: str,
            from_s: float | None = None,
            to_s: float | None = None,
            most_tokens: int = TOKENS,
        ) -> str:
            return await answer(recordings_of(ctx).lines(recording, from_s, to_s, of), most_tokens)

        server.tool(name=name, description=about)(tool)

    windowed(
        "headline",
        "A window in one sentence, the three most expensive findings, and the causes of the longest wait.",
        headline,
    )

    @server.tool(name="findings")
    async def found(
        ctx: Context,
        recording: str,
        from_s: float | None = None,
        to_s: float | None = None,
        limit: int = 5,
        most_tokens: int = TOKENS,
    ) -> str:
        """Findings of a window, worst first, with cost and place."""
        lines = recordings_of(ctx).lines(recording, from_s, to_s, lambda view: findings(view, max(1, limit)))
        return await answer(lines, most_tokens)

    @server.tool()
    async def wait(ctx: Context, recording: str, pid: int, at_s: float, most_tokens: int = TOKENS) -> str:
        """Reason for which a task waited for a CPU at a time, or next to it: one sentence, and the causes with their times."""
        lines = recordings_of(ctx).lines(recording, None, None, lambda view: wait_of(view, pid, at_s))
        return await answer(lines, most_tokens)

    _add_explain(server, recordings_of, answer)
    windowed(
        "window", "Numbers of a window: busy nodes, wakeup latency, idle CPUs while tasks waited, pressure.", facts
    )

    @server.tool()
    async def sql(
        ctx: Context,
        recording: str,
        sql: str,
        from_s: float | None = None,
        to_s: float | None = None,
        most_tokens: int = TOKENS,
    ) -> str:
        """Rows of a query in PerfettoSQL, few of them; INCLUDE PERFETTO MODULE numalens.latency has the waits."""
        return await answer(recordings_of(ctx).rows(recording, from_s, to_s, sql), most_tokens)

    @server.tool()
    async def compare(ctx: Context, base: str, new: str, most_tokens: int = TOKENS) -> str:
        """Differences between two recordings beyond noise."""
        return await answer(recordings_of(ctx).compared(base, new), most_tokens)

    return server


def _add_explain(
    server: "MCPServer[Any]",
    recordings_of: Callable[[Any], Recordings],
    answer: Callable[[Awaitable[Iterable[str]], int], Awaitable[str]],
) -> None:
    from mcp.server.mcpserver import Context  # noqa: PLC0415  (an extra)

    @server.tool()
    async def explain(
        ctx: Context,
        recording: str,
        task: str | None = None,
        at_s: float | None = None,
        from_s: float | None = None,
        to_s: float | None = None,
        most_tokens: int = TOKENS,
    ) -> str:
        """Time of a task (name or pid) by state and cause, and waits of slow requests; with at_s, its state at that moment."""
        lines = recordings_of(ctx).lines(recording, from_s, to_s, lambda view: explained(view, task, at_s))
        return await answer(lines, most_tokens)
