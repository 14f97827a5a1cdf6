"""The engine's wording of findings, causes and rows of figures."""

import json
from typing import Any, Final

import numalens_native

CATALOGUE: Final[dict[str, list[dict[str, Any]]]] = json.loads(numalens_native.catalogue())
"""By kind: `findings`, `wait_causes`, `run_causes`, `sleep_causes`, `waste_causes`, `placement_reasons`, `missed_by`,
`placement_what_ifs`, `ops`;
see `numalens_native.catalogue`."""
