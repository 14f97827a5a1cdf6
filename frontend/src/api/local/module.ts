/** The compiled engine, where this page has one: its build needs tools that a server may lack. */

/** WebAssembly in xz, made by the setup: a fifth smaller than in what browsers inflate by themselves. */
const FILES = import.meta.glob<string>("./engine.bin", { query: "?url", import: "default", eager: true });
const [address] = Object.values(FILES);

export const hasEngine = address !== undefined;

/** Says that this page was built without its engine, and how to get one. */
export const NO_ENGINE = "The in-browser engine is not built yet: run npm run setup -- --all.";

let compiled: Promise<WebAssembly.Module> | null = null;

/** Fetches and compiles the engine once. */
export function engineModule(): Promise<WebAssembly.Module> {
  compiled ??= compile();
  return compiled;
}

/** Compiles it in advance, while the user looks for a file; a failure is reported when it is needed. */
export function prepareEngine(): void {
  if (hasEngine) engineModule().catch(() => {});
}

async function compile(): Promise<WebAssembly.Module> {
  if (address === undefined) throw new Error(NO_ENGINE);
  const [{ body }, { default: xz }] = await Promise.all([fetch(address), import("xz-decompress")]);
  if (!body) throw new Error("The engine of this page could not be loaded.");
  const inflated = new Response(new xz.XzReadableStream(body), {
    headers: { "Content-Type": "application/wasm" },
  });
  return WebAssembly.compileStreaming(inflated);
}
