/** Content of a self-contained file besides the page: a bundle, its initial view, and notes. */

import type { Note } from "../api/types.ts";

export interface Carried {
  /** A bundle as one file. */
  readonly packed: File;
  /** The query of the page's address. */
  readonly view: string;
  readonly notes: readonly Note[];
}

/** Id of the element that has the bundle, in base64, and in attributes its name, view and notes. */
export const CARRIED_ID = "bundle";

/** The bundle that a document carries, which then has it no longer; null when it is the page alone. */
export function carriedBundle(document: Document): Promise<Carried> | null {
  const element = document.getElementById(CARRIED_ID);
  const base64 = element?.textContent?.trim() ?? "";
  if (!element || base64 === "") return null;
  const { name = "bundle", view = "", notes = "[]" } = element.dataset;
  element.remove();
  return fetch(`data:application/octet-stream;base64,${base64}`)
    .then((answer) => answer.arrayBuffer())
    .then((bytes) => ({
      packed: new File([bytes], name),
      view,
      notes: JSON.parse(notes) as readonly Note[],
    }));
}
