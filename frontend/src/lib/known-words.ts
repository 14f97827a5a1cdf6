/** Words for names that the service gives, and numbers of nodes where one may be missing. */

/** A name that this page does not know yet stands as it came. */
export function wordOf(words: Readonly<Record<string, string>>, name: string): string {
  return words[name] ?? name.replaceAll("_", " ");
}

export function nodeText(nid: number): string {
  return nid < 0 ? "?" : String(nid);
}
