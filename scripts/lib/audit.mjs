import fs from "node:fs";
import path from "node:path";
import { at, venvBin } from "./paths.mjs";
import { must, run } from "./run.mjs";

/** Output of programs whose source of advisories cannot be reached. */
const AWAY = new RegExp(
  [
    ...["ENOTFOUND", "ECONNREFUSED", "ECONNRESET", "EAI_AGAIN", "ETIMEDOUT", "audit endpoint returned an error"],
    ...["failed to fetch advisory database", "failed to clone", "Could not resolve host", "error sending request"],
    ...["ConnectionError", "Failed to establish a new connection", "NameResolutionError", "Max retries exceeded"],
    ...["ConnectTimeout", "ReadTimeout", "ProxyError", "ServiceError", "VulnServiceError"],
  ].join("|"),
);
const MISSING = 127;
const TOOLS = at("target", "audit");

/** The outcome of an audit: `ok`, `found`, or `skipped` with the reason. */
export function outcomeOf({ code, out }, hint) {
  const unknown = (out.match(/could not be audited/g) ?? []).length;
  if (code === 0 && unknown)
    return { outcome: "skipped", reason: `its source does not know ${unknown} of the packages` };
  if (code === 0) return { outcome: "ok" };
  if (code === MISSING || /no such command/.test(out)) return { outcome: "skipped", reason: hint };
  if (AWAY.test(out)) return { outcome: "skipped", reason: "its source of advisories cannot be reached" };
  return { outcome: "found" };
}

/** Asks for known weaknesses of all dependencies; prints each program's answer. Returns how many audits found some. */
export async function audits(show = (text) => process.stdout.write(text)) {
  const python = await pythonTools();
  const locks = ["requirements-extras", "requirements-sql"].map((name) => at("backend", `${name}.lock`));
  const all = [
    {
      name: "crates (cargo-deny)",
      hint: "install it: cargo install --locked cargo-deny@0.20.2",
      command: "cargo",
      args: ["deny", "--locked", "check", "advisories", "bans", "sources"],
    },
    ...locks.map((lock) => ({
      name: `Python packages (pip-audit, ${path.basename(lock)})`,
      hint: "pip-audit could not be installed",
      command: path.join(python, "pip-audit"),
      args: ["--disable-pip", "--require-hashes", "--progress-spinner", "off", "--requirement", lock],
    })),
    { name: "npm packages (npm audit)", hint: "npm is missing", command: "npm", args: ["audit", "--audit-level=low"] },
  ];
  let found = 0;
  for (const { name, hint, command, args } of all) {
    const answer = await run(command, args, { quiet: true });
    const { outcome, reason } = outcomeOf(answer, hint);
    show(
      `${name}: ${outcome === "ok" ? "nothing known" : outcome === "found" ? "weaknesses" : `skipped, ${reason}`}\n`,
    );
    if (outcome === "found") {
      found += 1;
      show(answer.out);
    }
  }
  return found;
}

/** The folder of pip-audit and cyclonedx-py, which are installed separately from the packages that they inspect. */
export async function pythonTools() {
  const lock = at("scripts", "requirements-audit.lock");
  const bin = path.join(TOOLS, "bin");
  const stamp = path.join(TOOLS, "lock");
  const wanted = fs.readFileSync(lock, "utf8");
  if (fs.existsSync(stamp) && fs.readFileSync(stamp, "utf8") === wanted) return bin;
  const { code } = await run(venvBin("python"), ["-m", "venv", "--clear", TOOLS], { quiet: true });
  const pip = ["--quiet", "--disable-pip-version-check", "install", "--require-hashes", "-r", lock];
  if (code === 0 && (await run(path.join(bin, "pip"), pip, { quiet: true })).code === 0)
    fs.writeFileSync(stamp, wanted);
  return bin;
}

/** Writes the lists of components (CycloneDX) of what is installed with the wheel and what is in the page. */
export async function componentLists(folder, wheel) {
  const page = ["sbom", "--sbom-format", "cyclonedx", "--package-lock-only", "--omit", "dev"];
  const failed = "The list of components could not be made.";
  const npm = await must(failed, "npm", page, { capture: "stdout" });
  fs.writeFileSync(path.join(folder, "numalens-page.cdx.json"), npm);
  const lock = at("backend", "requirements.lock");
  const python = ["requirements", lock, "--output-file", path.join(folder, "numalens-python.cdx.json")];
  await must(failed, path.join(await pythonTools(), "cyclonedx-py"), python);
  // Maturin has put that of the crates into the wheel.
  const crates = await must(failed, venvBin("python"), ["-c", CRATES, wheel], { capture: "stdout" });
  fs.writeFileSync(path.join(folder, "numalens-crates.cdx.json"), crates);
}

const CRATES = `
import sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as wheel:
    [name] = [each for each in wheel.namelist() if "/sboms/" in each and each.endswith(".cyclonedx.json")]
    sys.stdout.write(wheel.read(name).decode())
`;
