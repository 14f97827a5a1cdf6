import fs from "node:fs";
import { ROOT } from "./paths.mjs";

/** Free bytes that a first start needs below the repository: compiled code, the Python environment and npm packages. */
const NEEDED = 3e9;
const CONTINUES = "then run the same command again: it continues where it stopped.";

/** Output of programs when something outside of this repository is wrong, and a sentence that helps. */
const HINTS = [
  [/No space left on device|ENOSPC|Disk quota exceeded/, () => `${freeSpace()} Free some space, ${CONTINUES}`],
  [
    /Could not resolve host|name resolution|ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|NewConnectionError|Network is unreachable|Failed to establish a new connection|Connection refused|failed to download|Could not connect to server|ProxyError/i,
    () =>
      `The package registry did not answer. Check the network, or name a proxy or mirror (npm config, pip config, Cargo's config.toml), ${CONTINUES}`,
  ],
  [
    /linker `cc` not found|failed to find tool "cc"|is `cc` installed/,
    () => `A C compiler is needed (on Debian and Ubuntu: apt-get install build-essential), ${CONTINUES}`,
  ],
  [
    /signal: 9, SIGKILL|Cannot allocate memory|ENOMEM|out of memory/i,
    () => `Memory ran out. Close other programs or set CARGO_BUILD_JOBS=1, ${CONTINUES}`,
  ],
  [
    /THESE PACKAGES DO NOT MATCH THE HASHES|EINTEGRITY/,
    () => "A downloaded package is not the one this version was tested with. Check the mirror that served it.",
  ],
];

/** One sentence on what to do about the output of a program that failed; empty where nothing is known. */
export function hint(output) {
  const known = HINTS.find(([pattern]) => pattern.test(output));
  return known ? known[1]() : "";
}

function freeSpace() {
  const { bavail, bsize } = fs.statfsSync(ROOT);
  const gigabytes = (bytes) => (bytes / 1e9).toFixed(1);
  return `The disk is full: a first start needs about ${gigabytes(NEEDED)} GB, and ${gigabytes(bavail * bsize)} GB are free.`;
}
