import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";

const NUMALENS = fileURLToPath(new URL("../../../.venv/bin/numalens", import.meta.url));
const START_MS = 180_000;

/** A free port below those that the kernel gives to connections, so that no connection takes it before its server does. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 16_000 + Math.floor(16_000 * Math.random());
    const probe = createServer();
    const free = await new Promise<boolean>((resolve) => {
      probe.once("error", () => resolve(false));
      probe.listen(port, "127.0.0.1", () => probe.close(() => resolve(true)));
    });
    if (free) return port;
  }
}

/** The real service with its own port and data folder. It can be killed and started again. */
export class Server {
  readonly port: number;
  readonly #data: string;
  readonly #args: readonly string[];
  readonly #env: NodeJS.ProcessEnv;
  #child: ChildProcess | null = null;
  #output = "";

  private constructor(port: number, data: string, args: readonly string[], env: NodeJS.ProcessEnv) {
    this.port = port;
    this.#data = data;
    this.#args = args;
    this.#env = env;
  }

  /** `fill` may put something into the data folder before the service starts. */
  static async start(
    args: readonly string[] = [],
    env: NodeJS.ProcessEnv = {},
    fill: (data: string) => Promise<void> = async () => {},
  ): Promise<Server> {
    const data = await mkdtemp(join(tmpdir(), "numalens-e2e-"));
    await fill(data);
    const server = new Server(await freePort(), data, args, env);
    await server.run();
    return server;
  }

  get address(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  async run(): Promise<void> {
    const args = ["serve", "--port", String(this.port), "--data", this.#data, ...this.#args];
    // Its own process group, so that kill() also reaches the import process, as a power cut would.
    const child = spawn(NUMALENS, args, { detached: true, env: { ...process.env, ...this.#env } });
    this.#child = child;
    const collect = (chunk: Buffer) => {
      this.#output += chunk.toString();
    };
    child.stdout.on("data", collect);
    child.stderr.on("data", collect);
    const deadline = Date.now() + START_MS;
    while (Date.now() < deadline) {
      if (child.exitCode !== null) break;
      const answer = await fetch(`${this.address}/api/v1/info`).catch(() => null);
      if (answer?.ok) return;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    throw new Error(`numalens serve did not come up:\n${this.#output}`);
  }

  /** Uploads files as one analysis and waits until it is ready or has failed; `tolerant` reads damaged files. */
  async added(files: readonly string[], title: string, tolerant = false): Promise<string> {
    const api = `${this.address}/api/v1`;
    const uploads: string[] = [];
    for (const file of files) {
      const content = await readFile(file);
      const name = Buffer.from(basename(file)).toString("base64");
      const tus = { "Tus-Resumable": "1.0.0" };
      const created = await fetch(`${api}/uploads/`, {
        method: "POST",
        headers: { ...tus, "Upload-Length": String(content.length), "Upload-Metadata": `filename ${name}` },
      });
      const location = new URL(created.headers.get("location") ?? "", api);
      const offset = { "Upload-Offset": "0", "Content-Type": "application/offset+octet-stream" };
      await fetch(location, {
        method: "PATCH",
        headers: { ...tus, ...offset },
        body: new Uint8Array(content),
      });
      uploads.push(location.pathname.split("/").at(-1) ?? "");
    }
    const made = await fetch(`${api}/analyses`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ uploads, title, tolerant }),
    });
    const { id } = (await made.json()) as { id: string };
    const deadline = Date.now() + START_MS;
    while (Date.now() < deadline) {
      const { status } = (await (await fetch(`${api}/analyses/${id}`)).json()) as { status: string };
      if (["ready", "failed"].includes(status)) return id;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    throw new Error(`${title} was not read:\n${this.#output}`);
  }

  /** The id of the only analysis, once it is ready. */
  async readyAnalysis(): Promise<string> {
    const deadline = Date.now() + START_MS;
    while (Date.now() < deadline) {
      const answer = await fetch(`${this.address}/api/v1/analyses`);
      const { analyses } = (await answer.json()) as { analyses: { id: string; status: string }[] };
      if (analyses[0]?.status === "ready") return analyses[0].id;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    throw new Error(`No analysis became ready:\n${this.#output}`);
  }

  /** kill -9 of the server and every process that it started. */
  async kill(): Promise<void> {
    const child = this.#child;
    this.#child = null;
    if (!child?.pid || child.exitCode !== null) return;
    const gone = new Promise((resolve) => child.once("exit", resolve));
    process.kill(-child.pid, "SIGKILL");
    await gone;
  }

  async close(): Promise<void> {
    await this.kill();
    await rm(this.#data, { recursive: true, force: true });
  }
}
