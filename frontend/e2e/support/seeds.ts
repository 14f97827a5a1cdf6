import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const PYTHON = fileURLToPath(new URL("../../../.venv/bin/python", import.meta.url));
const SEEDS = fileURLToPath(new URL("../../../trace_parsers/fuzz/seeds", import.meta.url));
/** In Python, because Node 20 reads neither zstd nor tar. */
const UNPACK = `
import pathlib, sys, tarfile, pyarrow
for archive in pathlib.Path(sys.argv[1]).glob("*.tar.zst"):
    with pyarrow.input_stream(str(archive), compression="zstd") as stream, tarfile.open(fileobj=stream, mode="r|") as tar:
        tar.extractall(pathlib.Path(sys.argv[2]) / archive.name.removesuffix(".tar.zst"), filter="data")
`;

/** Unpacks the fuzzers' seeds into a folder, one folder for each target. */
export function unpackSeeds(folder: string): string {
  execFileSync(PYTHON, ["-c", UNPACK, SEEDS, folder]);
  return folder;
}
