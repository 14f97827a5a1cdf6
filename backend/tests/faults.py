"""kill -9 of every server of a team while it uploads, reads and shares: nothing acknowledged is lost, nothing has an effect twice.

`../.venv/bin/python -m tests.faults --count 20` in `backend/` prints a table; tests run each kind of it once.
"""

import argparse
import os
import random
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import httpx2

from tests.live import LiveServer, live_server, tls
from tests.recordings import NUMA, counts
from tests.servers import wait_until
from tests.service import API, TUS, patch_headers
from tests.team import Team, team

VICTIMS: Final = ("worker", "scheduler", "app", "database", "store")
MOMENTS: Final = ("upload", "parse", "share")
KIB: Final = 1 << 10
PATIENCE_S: Final = 180
REFUSALS: Final = {423, 502, 503, 504}


@dataclass
class Application:
    """The application, started again wherever its end was the fault."""

    team: Team
    stack: list[Any] = field(default_factory=list)
    server: LiveServer | None = None

    def start(self) -> None:
        manager = live_server(self.team.data, **self.team.environment)
        self.server = manager.__enter__()
        self.stack.append(manager)

    def kill(self) -> None:
        assert self.server is not None
        self.server.kill()
        self.stack.pop().__exit__(None, None, None)

    def ask(self, method: str, path: str, **options: Any) -> httpx2.Response | None:
        """The answer; None when the application or what it needs is away just now."""
        assert self.server is not None
        try:
            with httpx2.Client(base_url=self.server.base, timeout=60, trust_env=False, verify=tls()) as client:
                answer = client.request(method, path, **options)
        except (httpx2.TransportError, OSError):
            return None
        if answer.status_code in REFUSALS:
            result = answer.json()["error"]["sentence"] if answer.content else "."
            assert result.endswith("."), result
            return None
        return answer

    def surely(self, method: str, path: str, **options: Any) -> httpx2.Response:
        """The answer, as soon as there is one."""
        found: list[httpx2.Response] = []

        def answered() -> bool:
            answer = self.ask(method, path, **options)
            found.extend([] if answer is None else [answer])
            return bool(found)

        wait_until(f"{method} {path}", answered, PATIENCE_S)
        return found[0]


def strike(application: Application, victim: str, dice: random.Random) -> None:
    """Ends a server without warning, and starts it again a moment later."""
    program: Any = application if victim == "app" else application.team.program(victim)
    if victim == "worker":
        # The process that does the work, or the one that watches over it.
        processes = application.team.worker.processes()
        if processes and dice.random() < 0.5:
            os.kill(processes[0], 9)
            return
    program.kill()
    time.sleep(dice.random())
    program.start()


def upload(application: Application, content: bytes, between: Callable[[], None]) -> str:
    """Uploads piece by piece, as the page does; `between` is called in the middle. Returns the upload's id."""
    location = application.surely("POST", f"{API}/uploads/", headers=_creation(len(content))).headers["location"]
    acknowledged, struck = 0, threading.Thread(target=between)
    while acknowledged < len(content):
        if acknowledged > len(content) // 3 and struck.ident is None:
            struck.start()
        found = int(application.surely("HEAD", location, headers=TUS).headers["upload-offset"])
        assert found >= acknowledged, f"{acknowledged - found} acknowledged bytes are lost"
        piece = content[found : found + 32 * KIB]
        answer = application.ask("PATCH", location, content=piece, headers=patch_headers(found))
        if answer is not None and answer.status_code == 204:
            acknowledged = int(answer.headers["upload-offset"])
    if struck.ident is None:
        struck.start()
    struck.join()
    return str(location.rsplit("/", 1)[1])


def parse(application: Application, upload_id: str, between: Callable[[], None]) -> str:
    """Makes an analysis and waits until it is ready; `between` is called meanwhile. Returns its id."""
    analysis_id = str(application.surely("POST", f"{API}/analyses", json={"uploads": [upload_id]}).json()["id"])
    between()

    def ready() -> bool:
        answer = application.surely("GET", f"{API}/analyses/{analysis_id}").json()
        assert answer["status"] != "failed", answer["error"]
        return bool(answer["status"] == "ready")

    wait_until("the reading", ready, PATIENCE_S)
    return analysis_id


def share(application: Application, analysis_id: str, between: Callable[[], None]) -> list[str]:
    """Makes links until after `between` has ended. Returns the secrets that were told."""
    struck = threading.Thread(target=between)
    result: list[str] = []
    struck.start()
    more = 3
    while more:
        more -= not struck.is_alive()
        answer = application.ask("POST", f"{API}/analyses/{analysis_id}/shares", json={"view": ""})
        if answer is not None:
            assert answer.status_code == 201, answer.text
            result.append(str(answer.json()["token"]))
    struck.join()
    return result


def check(application: Application, analysis_id: str, tokens: list[str]) -> None:
    """Everything acknowledged is there, once."""
    group = application.team
    detail = application.surely("GET", f"{API}/analyses/{analysis_id}").json()
    assert detail["timeline"]["event_counts"] == counts("cling-2x4-small")
    for token in tokens:
        opened = application.surely("POST", f"{API}/shares/open", json={"token": token})
        assert opened.status_code == 200, opened.text
    rows = group.rows("SELECT id, generation FROM analyses")
    assert len(rows) == 1
    assert group.rows("SELECT count(*) FROM uploads") == [(0,)]
    # What a try that was given up left goes with a sweep; what is read is exactly one.
    wait_until("the sweep", lambda: _bundles(group) == set(rows), PATIENCE_S)
    assert len([name for name in group.objects() if name.startswith("blobs/")]) == 1


def round_of(application: Application, victim: str, moment: str, dice: random.Random) -> int:
    """One story with one fault; returns how many links it made. Raises AssertionError when something is lost or double."""

    def fault() -> None:
        time.sleep(0.8 * dice.random())
        strike(application, victim, dice)

    def nothing() -> None:
        pass

    # Not the same file twice, which would be stored already.
    upload_id = upload(application, NUMA.read_bytes(), fault if moment == "upload" else nothing)
    analysis_id = parse(application, upload_id, fault if moment == "parse" else nothing)
    tokens = share(application, analysis_id, fault if moment == "share" else nothing)
    check(application, analysis_id, tokens)
    application.surely("DELETE", f"{API}/analyses/{analysis_id}")
    wait_until("the deletion", lambda: application.team.objects() == set(), PATIENCE_S)
    return len(tokens)


def _bundles(group: Team) -> set[tuple[object, ...]]:
    return {tuple(name.split("/")[1:3]) for name in group.objects() if name.startswith("bundles/")}


def _creation(length: int) -> dict[str, str]:
    return {**TUS, "Upload-Length": str(length), "Upload-Metadata": "filename dHJhY2UuZGF0"}


def main() -> int:
    """Runs all kinds of faults and prints how each went."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1, help="rounds of each kind")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--minutes", type=float, default=float("inf"), help="no new round after so long")
    parser.add_argument("--victims", nargs="*", choices=VICTIMS, default=VICTIMS)
    options = parser.parse_args()
    dice = random.Random(options.seed)  # noqa: S311  (dice, no secret)
    end = time.monotonic() + 60 * options.minutes
    tried: Counter[tuple[str, str]] = Counter()
    failed: Counter[tuple[str, str]] = Counter()
    kinds = [(victim, moment) for victim in options.victims for moment in MOMENTS]
    with tempfile.TemporaryDirectory() as root, team(Path(root)) as group:
        application = Application(group)
        application.start()
        for victim, moment in kinds * options.count:
            if time.monotonic() > end:
                break
            tried[victim, moment] += 1
            try:
                round_of(application, victim, moment, dice)
            except AssertionError as error:
                failed[victim, moment] += 1
                sys.stdout.write(f"{victim} during {moment}, time {tried[victim, moment]}: {error}\n")
                for row in group.rows("SELECT id FROM analyses"):
                    application.surely("DELETE", f"{API}/analyses/{row[0]}")
        application.kill()
    sys.stdout.write(f"{'killed':12}" + "".join(f"{moment:>10}" for moment in MOMENTS) + "\n")
    for victim in options.victims:
        counts_of = [(tried[victim, moment] - failed[victim, moment], tried[victim, moment]) for moment in MOMENTS]
        sys.stdout.write(f"{victim:12}" + "".join(f"{good:>7}/{all_:<2}" for good, all_ in counts_of) + "\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
