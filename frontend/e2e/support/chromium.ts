import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

const NAMES = [
  "chromium-headless-shell",
  "chromium",
  "chromium-browser",
  "google-chrome",
  "google-chrome-stable",
];

/** The browser that NUMALENS_CHROMIUM names (default: the first one on PATH). */
export function findChromium(): string {
  const named = process.env["NUMALENS_CHROMIUM"];
  if (named) return named;
  for (const folder of (process.env["PATH"] ?? "").split(delimiter)) {
    for (const name of NAMES) {
      const file = join(folder, name);
      try {
        accessSync(file, constants.X_OK);
        return file;
      } catch {
        // Not in this folder.
      }
    }
  }
  throw new Error(
    "No Chromium was found: install one (Debian: apt-get install chromium) or set NUMALENS_CHROMIUM.",
  );
}
