import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";

const NEVER = new Set(["node_modules", "target", "dist", "__pycache__", ".mypy_cache", ".ruff_cache", ".pytest_cache"]);

/** All files below the given files and folders, sorted; what builds leave behind is left out. */
export function filesBelow(entries, skip = () => false) {
  const found = [];
  const visit = (entry) => {
    const stat = fs.statSync(entry, { throwIfNoEntry: false });
    if (!stat) return;
    if (stat.isFile()) found.push(entry);
    else if (stat.isDirectory()) {
      for (const name of fs.readdirSync(entry)) {
        const child = path.join(entry, name);
        if (!NEVER.has(name) && !name.endsWith(".egg-info") && !skip(child)) visit(child);
      }
    }
  };
  entries.forEach(visit);
  return found.sort();
}

/** SHA-256 over the names and contents of files, and over further strings the result depends on. */
export function contentHash(base, files, extra = []) {
  const hash = createHash("sha256");
  for (const item of extra) hash.update(`${item}\0`);
  for (const file of files) {
    const data = fs.readFileSync(file);
    hash.update(`${path.relative(base, file)}\0${data.length}\0`).update(data);
  }
  return hash.digest("hex");
}

export function readStamp(file) {
  try {
    return fs.readFileSync(file, "utf8");
  } catch {
    return null;
  }
}

export function writeStamp(file, value) {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, value);
}
