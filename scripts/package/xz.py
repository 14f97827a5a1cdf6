"""python xz.py FROM TO: a file of WebAssembly in xz, whose bytes are aligned to nothing."""

import lzma
import sys
from pathlib import Path

FILTERS = [
    {"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME, "dict_size": 1 << 23, "lc": 4, "lp": 0, "pb": 0}
]

source, target = map(Path, sys.argv[1:])
target.write_bytes(lzma.compress(source.read_bytes(), check=lzma.CHECK_CRC32, filters=FILTERS))
