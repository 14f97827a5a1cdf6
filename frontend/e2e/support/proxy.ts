import { connect, createServer, type Server, type Socket } from "node:net";
import { freePort } from "./server.ts";

/** Most bytes that are passed to the server at once. */
const TURN_BYTES = 64 * 1024;

/**
 * A connection between browser and server that can be slow and can be cut. It counts the bytes that the browser sends, so
 * that a test can distinguish a resumed upload from a restarted one.
 */
export class Wire {
  readonly port: number;
  readonly #target: number;
  readonly #listener: Server;
  readonly #pairs = new Set<readonly [Socket, Socket]>();
  #isCut = false;
  /** Bytes per second towards the server. */
  rate: number;
  sent = 0;

  private constructor(port: number, target: number, rate: number) {
    this.port = port;
    this.#target = target;
    this.rate = rate;
    this.#listener = createServer((browser) => this.#join(browser));
  }

  static async open(target: number, rate: number): Promise<Wire> {
    const wire = new Wire(await freePort(), target, rate);
    await new Promise<void>((resolve) => wire.#listener.listen(wire.port, "127.0.0.1", resolve));
    return wire;
  }

  get address(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Breaks every connection and accepts no new one. */
  cut(): void {
    this.#isCut = true;
    for (const [browser, server] of this.#pairs) {
      browser.destroy();
      server.destroy();
    }
  }

  restore(): void {
    this.#isCut = false;
  }

  async close(): Promise<void> {
    this.cut();
    await new Promise((resolve) => this.#listener.close(resolve));
  }

  #join(browser: Socket): void {
    if (this.#isCut) {
      browser.destroy();
      return;
    }
    const server = connect(this.#target, "127.0.0.1");
    const pair = [browser, server] as const;
    this.#pairs.add(pair);
    server.pipe(browser);
    browser.on("data", (chunk: Buffer) => {
      this.sent += chunk.length;
      server.write(chunk);
      if (chunk.length < 4096) return;
      browser.pause();
      setTimeout(() => browser.resume(), (1000 * Math.min(chunk.length, TURN_BYTES)) / this.rate);
    });
    browser.on("end", () => server.end());
    const drop = () => {
      this.#pairs.delete(pair);
      browser.destroy();
      server.destroy();
    };
    for (const socket of pair) socket.on("error", drop).on("close", drop);
  }
}
