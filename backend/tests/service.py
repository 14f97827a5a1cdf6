"""A service under test: shorthands for what most tests do first."""

import base64
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fastapi.testclient import TestClient

from numalens.api.services import Services
from tests.until import until

API = "/api/v1"
TUS = {"Tus-Resumable": "1.0.0"}
OFFSET_STREAM = "application/offset+octet-stream"


def creation_headers(name: str, length: int) -> dict[str, str]:
    return {
        **TUS,
        "Upload-Length": str(length),
        "Upload-Metadata": f"filename {base64.b64encode(name.encode()).decode()}",
    }


def patch_headers(offset: int) -> dict[str, str]:
    return {**TUS, "Upload-Offset": str(offset), "Content-Type": OFFSET_STREAM}


def server_sent_events(lines: Iterator[str]) -> Iterator[tuple[str, Any]]:
    event = ""
    for line in lines:
        if line.startswith("event:"):
            event = line.removeprefix("event:").strip()
        elif line.startswith("data:"):
            yield event, json.loads(line.removeprefix("data:"))


@dataclass(frozen=True)
class Service:
    client: TestClient
    services: Services

    def upload(self, content: bytes, name: str = "trace.dat") -> str:
        """Uploads in one go; returns the upload's id."""
        created = self.client.post(f"{API}/uploads/", headers=creation_headers(name, len(content)))
        assert created.status_code == 201, created.text
        location = created.headers["location"]
        if content:
            sent = self.client.patch(location, content=content, headers=patch_headers(0))
            assert sent.status_code == 204, sent.text
        return str(location.rsplit("/", 1)[1])

    def create(self, *files: Path | tuple[str, bytes], title: str | None = None) -> str:
        """Makes an analysis of files; returns its id without waiting for it to be read."""
        named = [(file.name, file.read_bytes()) if isinstance(file, Path) else file for file in files]
        uploads = [self.upload(content, name) for name, content in named]
        created = self.client.post(f"{API}/analyses", json={"uploads": uploads, "title": title})
        assert created.status_code == 201, created.text
        return str(created.json()["id"])

    def watch(self, analysis_id: str) -> list[tuple[str, Any]]:
        """All server-sent events until the analysis is ready or failed."""
        with self.client.stream("GET", f"{API}/analyses/{analysis_id}/progress") as response:
            assert response.status_code == 200
            return list(server_sent_events(response.iter_lines()))

    def analyse(self, *files: Path | tuple[str, bytes], status: str = "ready") -> str:
        """Makes an analysis and waits for it to end with `status`; returns its id."""
        analysis_id = self.create(*files)
        event, last = self.watch(analysis_id)[-1]
        assert (event, last["status"]) == (status, status), last
        # The fleet's summary comes behind.
        until(lambda: analysis_id not in self.services.jobs._running)
        return analysis_id

    def get(self, path: str, **parameters: Any) -> Any:
        return self.client.get(f"{API}{path}", **parameters)


def sentence(response: Any, status: int) -> str:
    """The sentence of an error answer, after checking that it is one."""
    assert response.status_code == status, response.text
    answer = response.json()["error"]["sentence"]
    assert isinstance(answer, str)
    assert answer.endswith(".")
    assert "\n" not in answer
    return answer
