"""NumaLens: who ran where on a NUMA machine, from a recording of its scheduler."""

from typing import Final

__version__: Final = "0.1.0"
