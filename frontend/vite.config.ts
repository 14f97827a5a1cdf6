import react from "@vitejs/plugin-react";
import { defineConfig, type HtmlTagDescriptor, type Plugin } from "vite";

// The service that answers /api while the page itself comes from Vite's own server.
const service = process.env["NUMALENS_API"] ?? "http://127.0.0.1:8000";

/**
 * The page's font, its own script and its styles are imported by a small script that runs first: the browser fetches them at
 * the same time.
 */
const preloadApp: Plugin = {
  name: "preload-app",
  transformIndexHtml: {
    order: "post",
    handler: (_html, { bundle = {} }) => {
      const chunks = Object.values(bundle).filter((part) => part.type === "chunk");
      const app = chunks.find(({ name }) => name === "app");
      if (!app) return [];
      const parts = [...app.imports.map((file) => chunks.find(({ fileName }) => fileName === file)), app];
      const stylesOf = (part?: (typeof chunks)[number]) => [...(part?.viteMetadata?.importedCss ?? [])];
      // Those of the first script are above already.
      const first = new Set(chunks.filter(({ isEntry }) => isEntry).flatMap(stylesOf));
      const styles = new Set(parts.flatMap(stylesOf).filter((file) => !first.has(file)));
      const link = (attrs: Record<string, string | true>): HtmlTagDescriptor => ({
        tag: "link",
        attrs: { crossorigin: true, ...attrs },
        injectTo: "head",
      });
      const fonts = Object.keys(bundle).filter((file) => file.endsWith(".woff2"));
      return [
        ...fonts.map((file) => link({ rel: "preload", as: "font", type: "font/woff2", href: `/${file}` })),
        link({ rel: "modulepreload", href: `/${app.fileName}` }),
        ...[...styles].map((file) => link({ rel: "stylesheet", href: `/${file}` })),
      ];
    },
  },
};

export default defineConfig({
  plugins: [react(), preloadApp],
  build: {
    outDir: "../backend/numalens/page",
    emptyOutDir: true,
    // light-dark() and :has() are used as they are; nothing older is promised.
    target: ["chrome123", "edge123", "firefox128", "safari17.5"],
    // The content security policy allows no data: or inline assets: keep every asset a file.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    sourcemap: true,
  },
  server: {
    host: "127.0.0.1",
    proxy: { "/api": { target: service, changeOrigin: false } },
  },
});
