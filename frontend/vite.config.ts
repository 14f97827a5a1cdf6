import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";

// The service that answers /api while the page itself comes from Vite's own server.
const service = process.env["NUMALENS_API"] ?? "http://127.0.0.1:8000";

/** The page's own script is asked for by the small one that goes first: the browser should not wait to be told. */
const preloadApp: Plugin = {
  name: "preload-app",
  transformIndexHtml: {
    order: "post",
    handler: (_html, { bundle }) => {
      const app = Object.values(bundle ?? {}).find((part) => part.type === "chunk" && part.name === "app");
      if (!app) return [];
      const attrs = { rel: "modulepreload", crossorigin: true, href: `/${app.fileName}` };
      return [{ tag: "link", attrs, injectTo: "head" }];
    },
  },
};

export default defineConfig({
  plugins: [react(), preloadApp],
  build: {
    outDir: "dist",
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
