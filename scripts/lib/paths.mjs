import path from "node:path";
import { fileURLToPath } from "node:url";

/** The repository's top folder. */
export const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..", "..");

/** A path below the top folder. */
export const at = (...parts) => path.join(ROOT, ...parts);

export const VENV = at(".venv");

/** A program of the virtual environment. */
export const venvBin = (name) => path.join(VENV, "bin", name);

/** A path as a person would type it from the top folder. */
export const shown = (file) => path.relative(ROOT, file) || ".";
