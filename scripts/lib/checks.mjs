import fs from "node:fs";
import { at, shown } from "./paths.mjs";
import { filesBelow } from "./stamp.mjs";

const SAMPLES_CAP = 16 << 20;
const CRATES_IO = 'source = "registry+https://github.com/rust-lang/crates.io-index"';

/** Lock files name packages, versions and hashes, never an address: each user's own configured registry serves them. */
export function lockFiles() {
  const read = (file) => fs.readFileSync(file, "utf8");
  const python = filesBelow([at("backend"), at("scripts")]).filter((file) => /requirements[^/]*\.lock$/.test(file));
  return [
    ...npmLock(JSON.parse(read(at("package-lock.json")))),
    ...python.flatMap((file) => pythonLock(shown(file), read(file))),
    ...cargoLock(read(at("Cargo.lock"))),
  ];
}

/** Problems of a package-lock.json: download addresses, packages without a hash. */
export function npmLock({ packages = {} }) {
  const found = [];
  for (const [name, entry] of Object.entries(packages)) {
    if (!name.includes("node_modules/") || entry.link) continue;
    if (entry.resolved) found.push(`package-lock.json: ${name} has a download address`);
    if (!entry.integrity && !entry.inBundle) found.push(`package-lock.json: ${name} has no hash`);
  }
  return found;
}

/** Problems of a locked requirements file: download addresses, also in comments, and packages without a hash. */
export function pythonLock(name, text) {
  const found = [];
  text.split("\n").forEach((line, index) => {
    if (/:\/\/|^\s*(-i|-f|--(extra-)?index-url|--find-links|--trusted-host)\b/.test(line)) {
      found.push(`${name}:${index + 1}: a download address`);
    }
  });
  const entries = text.replace(/\\\n/g, " ").split("\n");
  for (const entry of entries.filter((line) => /^[\w.[\],-]+\s*==/.test(line) && !line.includes("--hash="))) {
    found.push(`${name}: ${entry.trim()} has no hash`);
  }
  return found;
}

/** Problems of a Cargo.lock: packages from elsewhere than crates.io. */
export function cargoLock(text) {
  const sources = new Set(text.match(/^source = .*$/gm));
  sources.delete(CRATES_IO);
  return [...sources].map((source) => `Cargo.lock: a package from elsewhere than crates.io: ${source}`);
}

/** Every clone has the samples, so they stay small. */
export function samplesSize() {
  const bytes = filesBelow([at("samples")]).reduce((sum, file) => sum + fs.statSync(file).size, 0);
  return bytes > SAMPLES_CAP ? [`samples/ holds ${bytes} bytes, the cap is ${SAMPLES_CAP}`] : [];
}
