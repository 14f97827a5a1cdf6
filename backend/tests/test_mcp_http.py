"""The tools for assistants over HTTP: the official client calls them all, and who may not read an analysis learns nothing of it."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from numalens.mcp.answers import CHARACTERS, TOKENS
from tests.live import LiveServer, live_server, upload_whole
from tests.recordings import NUMA, SMALL
from tests.service import API
from tests.until import until

TOOLS = ("recordings", "headline", "findings", "wait", "explain", "window", "sql", "compare")
SIGN_IN = {
    "NUMALENS_SIGN_IN": "header",
    "NUMALENS_USER_HEADER": "Remote-User",
    "NUMALENS_PROXIES": "127.0.0.1",
}
Call = tuple[str, dict[str, Any]]


def called(server: LiveServer, who: str | None, *calls: Call) -> list[tuple[bool, str]]:
    """Whether each call failed, and its text."""

    async def answers() -> list[tuple[bool, str]]:
        headers = {} if who is None else {"Remote-User": who}
        async with (
            httpx2.AsyncClient(headers=headers, timeout=120, trust_env=False) as http,
            Client(streamable_http_client(f"{server.base.rstrip('/')}/mcp", http_client=http)) as client,
        ):
            assert [tool.name for tool in (await client.list_tools()).tools] == list(TOOLS)
            found = [await client.call_tool(name, arguments) for name, arguments in calls]
        return [(bool(one.is_error), "".join(getattr(part, "text", "") for part in one.content)) for one in found]

    return asyncio.run(answers())


def analysed(client: httpx2.Client, file: Path) -> str:
    """An analysis of the asker's, when it is ready."""
    upload = upload_whole(client, file.read_bytes(), file.name).rsplit("/", 1)[-1]
    made: dict[str, Any] = client.post(f"{API}/analyses", json={"uploads": [upload]}).json()
    place = f"{API}/analyses/{made['id']}"
    until(lambda: bool(client.get(place).json()["status"] == "ready"))
    return str(made["id"])


def every_tool(one: str, other: str) -> Sequence[Call]:
    return (
        ("recordings", {}),
        ("headline", {"recording": one}),
        ("findings", {"recording": one, "from_s": 11, "to_s": 12, "limit": 2}),
        ("wait", {"recording": one, "pid": 747, "at_s": 11.9}),
        ("explain", {"recording": one, "task": "747", "at_s": 11.9}),
        ("window", {"recording": one, "from_s": 11, "to_s": 12}),
        ("sql", {"recording": one, "sql": "SELECT count(*) AS n FROM sched_slice"}),
        ("compare", {"base": one, "new": other}),
    )


def test_the_client_calls_all_tools_as_whoever_asks(tmp_path: Path) -> None:
    with live_server(tmp_path / "data", **SIGN_IN) as server:
        with httpx2.Client(base_url=server.base, headers={"Remote-User": "ann"}, timeout=120, trust_env=False) as ann:
            one, other = analysed(ann, NUMA), analysed(ann, SMALL)
            calls = every_tool(one, other)
            assert [name for name, _ in calls] == list(TOOLS)
            for (name, _), (failed, text) in zip(calls, called(server, "ann", *calls), strict=True):
                assert not failed, (name, text)
                assert text.startswith("<recording-data>\n")
                assert len(text) <= TOKENS * CHARACTERS
                # What names a moment leads to it.
                page = f"{server.base.rstrip('/')}/a/{one}?v=2&w="
                assert (page in text) == (name in {"headline", "findings", "wait", "explain", "window"}), (name, text)
            assert called(server, "ann", ("recordings", {}))[0][1].count("\n") == 3
            # Who may not read it is answered as if there was none.
            for (failed, text), (name, _) in zip(called(server, "bo", *calls), calls, strict=True):
                assert failed or name == "recordings", (name, text)
                assert "There is no such analysis." in text or "no recordings" in text, (name, text)
            named = ann.put(
                f"{API}/analyses/{one}/permissions", json={"name": "bo", "role": "reader", "download": False}
            )
            assert named.status_code == 200, named.text
            [(failed, text), (refused, _)] = called(server, "bo", calls[1], calls[7])
            assert (failed, refused) == (False, True), text
        # A stranger, and a visitor with a link alone, do not reach the tools.
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
        accept = {"Accept": "application/json, text/event-stream"}
        with server.client() as stranger:
            assert stranger.post("/mcp", json=message, headers=accept).status_code == 401
            linked = {**accept, "X-NumaLens-Share": "x" * 43, "Remote-User": "ann"}
            assert stranger.post("/mcp", json=message, headers=linked).status_code == 403
        with pytest.raises(ExceptionGroup):
            called(server, None, ("recordings", {}))
