/** User of this browser, according to the service. */

import { useSyncExternalStore } from "react";
import { Store } from "../lib/store.ts";
import type { Info } from "./types.ts";

export interface CurrentUser {
  /** null until it is known. */
  readonly info: Info | null;
  /** True if the service requires a sign-in first. */
  readonly out: boolean;
}

class CurrentUserStore extends Store<CurrentUser> {
  learn(info: Info): void {
    this.set({ info, out: this.getSnapshot().out && info.person === null && !info.owner });
  }

  /** Notes a refused request: the user is not, or no longer, signed in. */
  refused(): void {
    const { info, out } = this.getSnapshot();
    if (!out) this.set({ info: info && { ...info, person: null }, out: true });
  }
}

export const currentUser = new CurrentUserStore({ info: null, out: false });

export function useCurrentUser(): CurrentUser {
  return useSyncExternalStore(currentUser.subscribe, currentUser.getSnapshot);
}
