// The engine for browsers, outside a browser.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import xz from "xz-decompress";

const at = (path: string) => fileURLToPath(new URL(`../../../${path}`, import.meta.url));

/** Compiles the engine that the setup built. */
export async function compiledEngine(): Promise<WebAssembly.Module> {
  const file = new Blob([readFileSync(at("frontend/src/api/local/engine.bin"))]);
  return WebAssembly.compile(await new Response(new xz.XzReadableStream(file.stream())).arrayBuffer());
}

/** Packs a module as the setup packs the engine. */
export function asEngineFile(module: Uint8Array): Buffer {
  const folder = mkdtempSync(join(tmpdir(), "numalens-engine-"));
  const [plain, packed] = [join(folder, "plain"), join(folder, "packed")];
  try {
    writeFileSync(plain, module);
    execFileSync(at(".venv/bin/python"), [at("scripts/package/xz.py"), plain, packed]);
    return readFileSync(packed);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
