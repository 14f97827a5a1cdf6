/** The compiled engine, where this page has one: its build needs tools that a server may lack. */

/** Gzipped WebAssembly, made by the setup; the name says nothing of it, so that no server inflates it on its way. */
const FILES = import.meta.glob<string>("./engine.bin", { query: "?url", import: "default", eager: true });
const [address] = Object.values(FILES);

export const hasEngine = address !== undefined;

let compiled: Promise<WebAssembly.Module> | null = null;

/** Fetches and compiles it, once. */
export function engineModule(): Promise<WebAssembly.Module> {
  compiled ??= compile();
  return compiled;
}

/** Compiles it before it is needed, while somebody still looks for a file; that it failed is said when it is needed. */
export function prepareEngine(): void {
  if (hasEngine) engineModule().catch(() => {});
}

async function compile(): Promise<WebAssembly.Module> {
  if (address === undefined) throw new Error("This page was built without its engine.");
  const { body } = await fetch(address);
  if (!body) throw new Error("The engine of this page did not arrive.");
  const inflated = new Response(body.pipeThrough(new DecompressionStream("gzip")), {
    headers: { "Content-Type": "application/wasm" },
  });
  return WebAssembly.compileStreaming(inflated);
}
