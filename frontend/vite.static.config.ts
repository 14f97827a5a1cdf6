import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";
import { viteSingleFile } from "vite-plugin-singlefile";

/** A file that is opened by itself has no other to start a worker from: their code becomes part of it. */
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

/** As a wheel has it. */
const compressed: Plugin = {
  name: "compressed",
  closeBundle() {
    const file = `${FOLDER}/numalens.html`;
    writeFileSync(`${file}.gz`, gzipSync(readFileSync(file), { level: 9 }));
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
