"""Requests made up from our own OpenAPI document: whatever comes, the answer is one that the document allows, never a 5xx.

Half of them are about an analysis that is there, so that they come further than its name.
"""

import random
from collections.abc import Iterator
from typing import Any, cast

import pytest
import schemathesis
from httpx2 import InvalidURL
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import Case, GenerationMode

from numalens.api.app import bare_app
from tests.conftest import running_service
from tests.recordings import NUMA
from tests.scope import examples
from tests.service import API, Service

DOCUMENT = bare_app().openapi()
SCHEMA = schemathesis.openapi.from_dict(DOCUMENT)
OPERATIONS = {
    f"{operation.method.upper()} {operation.path}": operation
    for operation in (cast("Any", result).ok() for result in SCHEMA.get_all_operations())
}
# Of a route that takes whatever it is given nothing unfit can be made up.
TAKING_ALL = frozenset(
    {
        "GET /api/v1/catalogue",
        "GET /api/v1/info",
        "OPTIONS /api/v1/uploads/",
        "POST /api/v1/uploads/",
        "GET /api/v1/analyses",
        "GET /api/v1/fleet",
        "GET /api/v1/shares",
        "GET /api/v1/tokens",
    }
)
# These would take the analysis away that the others ask about; with names that do not exist they are asked too.
ENDS = ("DELETE /api/v1/analyses/{analysis_id}", "POST /api/v1/analyses/{analysis_id}/reread")
LINE_BREAKS = str.maketrans("", "", "\r\n\0")


@pytest.fixture(scope="module")
def ready(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Service, str]]:
    """A service with an analysis that was read."""
    with running_service(tmp_path_factory.mktemp("fuzz")) as service:
        yield service, service.analyse(NUMA)


def test_every_route_is_made_up_requests_for() -> None:
    documented = {f"{method.upper()} {path}" for path, methods in DOCUMENT["paths"].items() for method in methods}
    assert set(OPERATIONS) == documented
    assert len(documented) > 40


REQUESTED = [
    (name, mode) for name in OPERATIONS for mode in GenerationMode if mode.is_positive or name not in TAKING_ALL
]


@pytest.mark.parametrize(("name", "mode"), REQUESTED, ids=[f"{name}, {mode.value}" for name, mode in REQUESTED])
def test_no_request_is_too_much(ready: tuple[Service, str], name: str, mode: GenerationMode) -> None:
    service, known = ready
    cases = OPERATIONS[name].as_strategy(generation_mode=mode)

    @settings(
        max_examples=examples(4, 12),
        deadline=None,
        derandomize=True,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
        database=None,
    )
    @given(case=cases)
    def ask(case: Case[Any]) -> None:
        chance = random.Random(repr(case))  # noqa: S311  (a coin, not a secret)
        if name not in ENDS and "analysis_id" in (case.path_parameters or {}) and chance.random() < 0.7:
            case.path_parameters["analysis_id"] = known
        try:
            answer = sent(service, case)
        except InvalidURL:
            return  # Longer than a client may send, and than the server reads a request line.
        output = f"{case.method} {answer.request.url}: {answer.status_code} {answer.text[:300]}"
        assert answer.status_code < 500, output
        if answer.status_code >= 400 and case.method != "HEAD":
            sentence = answer.json()["error"]["sentence"]
            assert sentence.endswith("."), output
            assert "\n" not in sentence, output

    ask()
    assert service.get(f"/analyses/{known}").status_code == 200


def sent(service: Service, case: Case[Any]) -> Any:
    queries = case.as_transport_kwargs(base_url="http://localhost:8000")
    headers = {key: value for key, value in queries["headers"].items() if key.lower() not in {"user-agent", "host"}}
    body = {key: queries[key] for key in ("json", "data", "content") if queries.get(key) is not None}
    if isinstance(body.get("data"), (bytes, str)):
        body["content"] = body.pop("data")
    return service.client.request(
        queries["method"],
        queries["url"],
        params=queries.get("params"),
        # Only what a header can carry: the client itself would refuse the rest.
        headers={key: str(value).translate(LINE_BREAKS).encode("latin-1", "ignore") for key, value in headers.items()},
        **body,
    )


def test_what_is_made_up_reaches_the_analysis(ready: tuple[Service, str]) -> None:
    service, known = ready
    assert service.client.get(f"{API}/analyses/{known}/timeline", params={"from_ns": 0}).status_code == 422
