/** The event of a lane that was clicked, or that a link names and whose panel has not been answered yet. */

import type { AbsNs } from "../../lib/time.ts";
import type { PickedFact } from "../panel.ts";
import type { PanelStack } from "../panel-stack.ts";

export interface NamedFact {
  readonly lane: string;
  readonly at: AbsNs;
}

export class PickedEvent {
  readonly #stack: PanelStack;
  #picked: PickedFact | null = null;
  #named: NamedFact | null = null;

  constructor(stack: PanelStack) {
    this.#stack = stack;
  }

  get picked(): PickedFact | null {
    return this.#picked;
  }

  /** As a link writes it. */
  get named(): NamedFact | null {
    return this.#picked ? { lane: this.#picked.lane, at: this.#picked.at } : this.#named;
  }

  /** Returns false when nothing changed. */
  take(fact: PickedFact | null): boolean {
    this.#named = null;
    if (this.#picked === fact) return false;
    this.#picked = fact;
    return true;
  }

  /** What a link says. It is taken as soon as its panel has it. */
  name(named: NamedFact | null): void {
    if (named?.lane === this.#picked?.lane && named?.at === this.#picked?.at) return;
    this.#picked = null;
    this.#named = named;
    this.resolve();
  }

  resolve(): void {
    if (!this.#named) return;
    const { lane, at } = this.#named;
    const fact = this.#stack.factAt(lane, at);
    if (fact) this.take(fact);
  }

  /** The neighbour of its kind; null at the end, and where nothing is picked. */
  neighbour(step: -1 | 1): PickedFact | null {
    return this.#picked && this.#stack.neighbourOf(this.#picked, step);
  }
}
