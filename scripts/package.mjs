// npm run package [-- --check] [-- --target TRIPLE]: what people install, in dist/: one wheel of engine, service and page, the
// trace processor's, an sdist, the man pages, lists of components (CycloneDX), and the notes of the release.
// With --repository, links and pictures of the README lead there, as an index shows it.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { componentLists } from "./lib/audit.mjs";
import { absoluteLinks, checkWheel, releaseNotes, withAddresses } from "./lib/package.mjs";
import { at, shown, venvBin } from "./lib/paths.mjs";
import { main, must } from "./lib/run.mjs";
import { setup } from "./lib/setup.mjs";
import { SOURCE_HASH, sourceHash, WHEELS } from "./lib/steps.mjs";

const OUT = at("dist");
/** The oldest glibc that the wheel runs with. */
const MANYLINUX = "manylinux_2_17";

await main(async () => {
  const { values } = parseArgs({
    options: { check: { type: "boolean" }, target: { type: "string" }, repository: { type: "string" } },
  });
  await setup(["page", "offline", "release", "extras"]);
  fs.rmSync(OUT, { recursive: true, force: true });
  fs.mkdirSync(OUT);
  const env = { PATH: `${path.dirname(venvBin("python"))}${path.delimiter}${process.env.PATH}` };
  const maturin = (...args) =>
    must("The package could not be built.", venvBin("maturin"), [...args, "--out", OUT], { quiet: true, env });
  const described = values.repository ? describe(values.repository) : () => {};
  const target = values.target ?? `${process.arch === "arm64" ? "aarch64" : "x86_64"}-unknown-linux-gnu`;
  const linked = ["--locked", "--profile", "wheel", "--zig", "--compatibility", MANYLINUX, "--target", target];
  try {
    await maturin("sdist");
    await maturin("build", ...linked, "--interpreter", venvBin("python"));
  } finally {
    described();
  }
  for (const name of fs.readdirSync(WHEELS)) fs.copyFileSync(path.join(WHEELS, name), path.join(OUT, name));
  await manPages();
  const wheel = fs.readdirSync(OUT).find((name) => /^numalens-.*\.whl$/.test(name));
  await componentLists(OUT, path.join(OUT, wheel));
  fs.writeFileSync(SOURCE_HASH, `${sourceHash()}\n`);
  fs.writeFileSync(path.join(OUT, "RELEASE_NOTES.md"), releaseNotes(fs.readFileSync(at("CHANGELOG.md"), "utf8")));
  for (const name of fs.readdirSync(OUT).sort()) {
    const megabytes = fs.statSync(path.join(OUT, name)).size / 1e6;
    process.stdout.write(`${shown(path.join(OUT, name))}  ${megabytes.toFixed(1)} MB\n`);
  }
  if (values.check) await checkWheel(OUT);
});

/** The man pages as an archive that is unpacked in a folder of MANPATH. */
async function manPages() {
  const work = fs.mkdtempSync(path.join(os.tmpdir(), "numalens-man-"));
  try {
    const failed = "The man pages could not be made.";
    await must(failed, venvBin("python"), [at("scripts", "package", "man_pages.py"), path.join(work, "man1")]);
    const same = ["--sort=name", "--owner=0", "--group=0", "--numeric-owner", "--mtime=@0"];
    await must(failed, "tar", [...same, "-czf", path.join(OUT, "numalens-man.tar.gz"), "-C", work, "man1"]);
  } finally {
    fs.rmSync(work, { recursive: true, force: true });
  }
}

/** Has README and metadata name the repository, for an index; returns what puts both back as they were. */
function describe(repository) {
  const { version } = JSON.parse(fs.readFileSync(at("package.json"), "utf8"));
  const changes = { "README.md": (text) => absoluteLinks(text, repository, `v${version}`) };
  changes["pyproject.toml"] = (text) => withAddresses(text, repository);
  const before = Object.keys(changes).map((name) => [at(name), fs.readFileSync(at(name), "utf8")]);
  for (const [file, text] of before) fs.writeFileSync(file, changes[path.basename(file)](text));
  return () => {
    for (const [file, text] of before) fs.writeFileSync(file, text);
  };
}
