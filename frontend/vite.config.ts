import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

// The service that answers /api while the page itself comes from Vite's own server.
const service = process.env["NUMALENS_API"] ?? "http://127.0.0.1:8000";

export default defineConfig({
  plugins: [react()],
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
