"""How much is tested: the gate (`npm test`), or everything (`npm run test:all`)."""

import os
from typing import Any, Final

import pytest

EVERYTHING: Final = os.environ.get("NUMALENS_TEST") == "all"


def examples(gate: int, everything: int) -> int:
    """How many examples a property is tried on."""
    return everything if EVERYTHING else gate


def exhaustive(*values: Any) -> Any:
    """Parameters of a test that only the whole suite runs."""
    return pytest.param(*values, marks=pytest.mark.exhaustive)
