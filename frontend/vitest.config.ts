import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts"],
    environment: "node",
    setupFiles: ["./vitest.setup.ts"],
    // fast-check runs many cases per test; two shared cores need some patience.
    testTimeout: 20_000,
  },
});
