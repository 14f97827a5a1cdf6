/** One animation frame for all that has to be drawn anew. */

export type Layer = "lanes" | "minimap" | "overlay";
export type Dirty = Readonly<Record<Layer, boolean>>;

export class FrameLoop {
  readonly #draw: (now: number, dirty: Dirty) => void;
  #dirty: Record<Layer, boolean> = { lanes: true, minimap: true, overlay: true };
  #frame = 0;
  #running = false;

  constructor(draw: (now: number, dirty: Dirty) => void) {
    this.#draw = draw;
  }

  start(): void {
    this.#running = true;
  }

  stop(): void {
    this.#running = false;
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
  }

  invalidate(...layers: readonly Layer[]): void {
    for (const layer of layers) this.#dirty[layer] = true;
    if (this.#frame !== 0 || !this.#running) return;
    this.#frame = requestAnimationFrame((now) => {
      this.#frame = 0;
      this.now(now);
    });
  }

  /** In this very frame: a canvas that was sized is empty, and would flash. */
  now(now: number): void {
    const dirty = this.#dirty;
    this.#dirty = { lanes: false, minimap: false, overlay: false };
    this.#draw(now, dirty);
  }
}
