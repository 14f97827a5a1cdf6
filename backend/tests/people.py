"""People under test: browsers that are signed in at a service by an issuer under test, each with a cookie of its own."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fastapi.testclient import TestClient

from numalens.api.access import FLOW, SESSION
from tests.issuer import Issuer
from tests.service import API, Service, creation_headers, patch_headers, server_sent_events

ANN, BO, CY, ROOT = (f"{name}@numalens.example" for name in ("ann", "bo", "cy", "root"))
ORIGIN = {"Origin": "http://localhost:8000"}


@dataclass
class Browser:
    """One browser; it keeps cookies as browsers do, and says where its requests come from."""

    service: Service
    cookies: dict[str, str]

    def ask(self, method: str, path: str, headers: dict[str, str] | None = None, **body: Any) -> Any:
        answer = self.send(self.service.client, method, path, headers, **body)
        for line in answer.headers.get_list("set-cookie"):
            name, _, value = line.partition(";")[0].partition("=")
            self.cookies[name] = "" if "Max-Age=0" in line or "max-age=0" in line.lower() else value
        return answer

    def send(
        self, client: TestClient, method: str, path: str, headers: dict[str, str] | None = None, **body: Any
    ) -> Any:
        # The test client's own jar would mix the cookies of all browsers.
        client.cookies.clear()
        sent = {**ORIGIN, **self.headers, **(headers or {})}
        where = path if path.startswith("/api") else API + path
        answer = client.request(method, where, headers=sent, follow_redirects=False, **body)
        client.cookies.clear()
        return answer

    @property
    def headers(self) -> dict[str, str]:
        kept = "; ".join(f"{name}={value}" for name, value in self.cookies.items() if value)
        return {"Cookie": kept} if kept else {}

    @property
    def session(self) -> str:
        return self.cookies.get(SESSION, "")

    @property
    def flow(self) -> str:
        return self.cookies.get(FLOW, "")

    def get(self, path: str, **more: Any) -> Any:
        return self.ask("GET", path, **more)

    def post(self, path: str, body: Any = None, **more: Any) -> Any:
        return self.ask("POST", path, json={} if body is None else body, **more)

    def begin(self, return_to: str = "/") -> str:
        begun = self.post("/sign-in/begin", {"return_to": return_to})
        assert begun.status_code == 200, begun.text
        return str(begun.json()["url"])

    def sign_in(self, issuer: Issuer, name: str, return_to: str = "/") -> Any:
        """Signs in from the first to the last step; the answer of the last one."""
        return self.post("/sign-in/finish", issuer.answer_to(self.begin(return_to), name))

    def upload(self, content: bytes, name: str = "trace.dat") -> str:
        created = self.ask("POST", "/uploads/", creation_headers(name, len(content)))
        assert created.status_code == 201, created.text
        location = created.headers["location"]
        sent = self.ask("PATCH", location, patch_headers(0), content=content)
        assert sent.status_code == 204, sent.text
        return str(location.rsplit("/", 1)[1])

    def analyse(self, file: Path) -> str:
        created = self.post("/analyses", {"uploads": [self.upload(file.read_bytes(), file.name)]})
        assert created.status_code == 201, created.text
        analysis_id = str(created.json()["id"])
        # The stream ends with the reading.
        *_, (event, _) = server_sent_events(iter(self.get(f"/analyses/{analysis_id}/progress").text.splitlines()))
        assert event == "ready"
        return analysis_id

    def name(self, analysis_id: str, name: str, role: str = "reader", *, download: bool = False) -> Any:
        body = {"name": name, "role": role, "download": download}
        return self.ask("PUT", f"/analyses/{analysis_id}/permissions", json=body)

    def listed(self) -> list[str]:
        return [analysis["id"] for analysis in self.get("/analyses").json()["analyses"]]


def browser(service: Service, issuer: Issuer | None = None, name: str = "") -> Browser:
    """A browser; signed in when there is an issuer."""
    made = Browser(service, {})
    if issuer is not None:
        answer = made.sign_in(issuer, name)
        assert answer.status_code == 200, answer.text
    return made
