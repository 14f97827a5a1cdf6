"""Findings of a whole recording are told when it is read, and by a server that asks the engine nothing."""

import json
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast

import pytest

from numalens.report import kept_findings
from numalens.report.build import FINDINGS_FILE
from tests.conftest import running_service
from tests.recordings import LSCPU, NUMA


@dataclass
class Listening:
    """An engine that notes what it is asked."""

    engine: Any
    requests: list[str] = field(default_factory=list)

    def analysis(self, section: str, *rest: Any, browser: bool) -> bytes:
        self.requests.append(section)
        return bytes(self.engine.analysis(section, *rest, browser=browser))


def test_the_whole_recording_is_reported_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with running_service(tmp_path) as service:
        analysis_id = service.analyse(NUMA, LSCPU)
        bundles = service.services.bundles
        opened = bundles.get(analysis_id, service.services.analyses.get(analysis_id).generation)
        engine = Listening(opened.engine)
        monkeypatch.setitem(bundles._open, analysis_id, replace(opened, engine=cast("Any", engine)))
        first, last = opened.manifest["window_ns"]
        path = f"/analyses/{analysis_id}/sections/findings"

        whole = service.get(path)
        assert (whole.status_code, engine.requests) == (200, [])
        assert service.get(path, params={"from_ns": first, "to_ns": last}).json() == whole.json()
        assert engine.requests == []

        # Anything else is not what was kept.
        for query in ({"from_ns": first + 1}, {"hz": 1000}, {"psi_rules": "4.20"}):
            engine.requests.clear()
            assert service.get(path, params=query).status_code == 200, query
            assert engine.requests == ["findings"], query

        # The engine shows the same when it is asked.
        monkeypatch.setitem(bundles._open, analysis_id, replace(opened, findings=None))
        assert service.get(path).json() == whole.json()


@pytest.mark.parametrize("content", ["", "[]", "{", '{"by": "another build", "answer": "{}"}'])
def test_what_another_build_reported_is_not_shown(tmp_path: Path, content: str) -> None:
    (tmp_path / FINDINGS_FILE).write_text(content)
    assert kept_findings(tmp_path) is None
    assert kept_findings(tmp_path / "nowhere") is None


def test_what_is_kept_has_a_stamp(tmp_path: Path) -> None:
    with running_service(tmp_path) as service:
        analysis_id = service.analyse(NUMA, LSCPU)
        file = service.services.folder.bundle(analysis_id) / FINDINGS_FILE
        kept = json.loads(file.read_text())
        assert kept_findings(file.parent) == kept["answer"].encode()
        file.write_text(json.dumps(kept | {"by": kept["by"] + "0"}))
        assert kept_findings(file.parent) is None
