import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";
import { viteSingleFile } from "vite-plugin-singlefile";

/** A file that is opened directly cannot start a worker from another file: its code becomes part of the file. */
const inlineWorkers: Plugin = {
  name: "inline-workers",
  enforce: "pre",
  transform(code, id) {
    if (!/\.tsx?$/.test(id) || !code.includes("new Worker(new URL(")) return null;
    const imports: string[] = [];
    const found = code.replace(
      /new Worker\(new URL\((".+?"), import\.meta\.url\),[^)]*\)/g,
      (_whole, file: string) => {
        const name = `InlineWorker${imports.length}`;
        imports.push(`import ${name} from ${file.slice(0, -1)}?worker&inline";`);
        return `new ${name}()`;
      },
    );
    return { code: `${imports.join("\n")}\n${found}`, map: null };
  },
};

const FOLDER = fileURLToPath(new URL("../backend/numalens/page", import.meta.url));

/** Inflates the page's script and runs it. The font is in the file: decoded before the first text, it is there for all. */
const START = `
await document.fonts.load("1em Inter").catch(() => null);
const { body } = await fetch("data:;base64," + document.getElementById("code").textContent);
const code = await new Response(body.pipeThrough(new DecompressionStream("gzip"))).blob();
import(URL.createObjectURL(new Blob([code], { type: "text/javascript" })));
`;

/**
 * Compresses the script, which is most of the page besides the engine, as it is saved with each recording; a wheel
 * has the whole.
 */
const compressed: Plugin = {
  name: "compressed",
  closeBundle() {
    const file = `${FOLDER}/numalens.html`;
    const page = readFileSync(file, "utf8").replace(
      /<script type="module"[^>]*>(.*?)<\/script>/s,
      (_whole, code: string) => {
        const text = gzipSync(code, { level: 9 }).toString("base64");
        return `<script type="application/octet-stream" id="code">${text}</script><script type="module">${START}</script>`;
      },
    );
    writeFileSync(file, page);
    writeFileSync(`${file}.gz`, gzipSync(page, { level: 9 }));
  },
};

/** The whole page, its engine among it, as one file that needs no server and no network. */
export default defineConfig({
  plugins: [react(), inlineWorkers, viteSingleFile({ removeViteModuleLoader: true }), compressed],
  build: {
    outDir: FOLDER,
    // The page of a server is there already, and serves this one as a file.
    emptyOutDir: false,
    target: ["chrome123", "edge123", "firefox128", "safari17.5"],
    assetsInlineLimit: Number.MAX_SAFE_INTEGER,
    modulePreload: { polyfill: false },
    rollupOptions: { input: "numalens.html" },
  },
});
