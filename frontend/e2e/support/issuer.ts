import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Page, Request } from "@playwright/test";
import { freePort } from "./server.ts";

const PYTHON = fileURLToPath(new URL("../../../.venv/bin/python", import.meta.url));
const BACKEND = fileURLToPath(new URL("../../../backend", import.meta.url));
const START_MS = 180_000;

/** The issuer of the service's own tests, in its own process: its page has a link for each name. */
export class Issuer {
  readonly #child: ChildProcess;
  readonly #port: number;

  private constructor(child: ChildProcess, port: number) {
    this.#child = child;
    this.#port = port;
  }

  static async start(names: readonly string[]): Promise<Issuer> {
    const port = await freePort();
    const child = spawn(PYTHON, ["-m", "tests.issuer", String(port), ...names], { cwd: BACKEND });
    const address = `http://127.0.0.1:${port}/.well-known/openid-configuration`;
    for (const deadline = Date.now() + START_MS; Date.now() < deadline; ) {
      if ((await fetch(address).catch(() => null))?.ok) return new Issuer(child, port);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    child.kill("SIGKILL");
    throw new Error("The issuer did not come up.");
  }

  /** Settings of a server whose users it signs in. */
  get settings(): Record<string, string> {
    return {
      NUMALENS_SIGN_IN: "oidc",
      NUMALENS_OIDC_ISSUER: `http://127.0.0.1:${this.#port}`,
      NUMALENS_OIDC_CLIENT_ID: "numalens-under-test",
      NUMALENS_OIDC_CLIENT_SECRET: "a secret of the client",
    };
  }

  /** Whether a request signs the browser out at the issuer. */
  readonly leaves = (request: Request): boolean =>
    request.url().startsWith(`http://127.0.0.1:${this.#port}/leave?`);

  close(): void {
    this.#child.kill("SIGKILL");
  }
}

/** Signs in: from the sign-in page to the issuer's page, and back. */
export async function signIn(page: Page, name: string): Promise<void> {
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("link", { name }).click();
  await page.getByRole("button", { name: "Sign out", exact: true }).waitFor();
}
