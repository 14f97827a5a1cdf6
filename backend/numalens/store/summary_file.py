"""The file of a bundle's summary, which the fleet reads."""

from typing import Final

VERSION: Final = 1
"""Version of its rows; changes when rows of before would be misread, and not for what is only added."""
FILE: Final = f"summary-{VERSION}.parquet"
"""In the bundle's folder. The version is part of its name, so that one of another version is never mistaken for it."""
