/** Who sits at this browser, as the service told last. */

import type { Info } from "./types.ts";

export interface Who {
  /** null until it was told. */
  readonly info: Info | null;
  /** The service wants somebody to sign in first. */
  readonly out: boolean;
}

const listeners = new Set<() => void>();
let known: Who = { info: null, out: false };

export const who = {
  subscribe(listener: () => void): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },

  getSnapshot: (): Who => known,

  told(info: Info): void {
    tell({ info, out: known.out && info.person === null && !info.owner });
  },

  /** A request was refused because nobody is signed in, or not any more. */
  refused(): void {
    if (!known.out) tell({ info: known.info && { ...known.info, person: null }, out: true });
  },
};

function tell(next: Who): void {
  known = next;
  for (const listener of [...listeners]) listener();
}
