"""Tests of the service, of the command line, and of the instruments in `scripts/lab`."""

import sys
from pathlib import Path

LAB = Path(__file__).resolve().parents[2] / "scripts" / "lab"
sys.path.append(str(LAB))
