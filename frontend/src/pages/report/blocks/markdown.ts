/** The Markdown of reports as a tree: CommonMark with tables, without HTML, and with links that lead where they may. */

import type { Root } from "mdast";
import { fromMarkdown } from "mdast-util-from-markdown";
import { gfmTableFromMarkdown } from "mdast-util-gfm-table";
import { gfmTable } from "micromark-extension-gfm-table";

export function parseMarkdown(text: string): Root {
  return fromMarkdown(text, {
    // Tags stand there as they were written.
    extensions: [{ disable: { null: ["htmlFlow", "htmlText"] } }, gfmTable()],
    mdastExtensions: [gfmTableFromMarkdown()],
  });
}

export interface SafeLink {
  readonly href: string;
  /** Leads to another site. */
  readonly outside: boolean;
}

/** null for what leads to neither a page of this server by its path, nor to the web. */
export function safeLink(url: string): SafeLink | null {
  // Browsers drop line ends and tabs out of addresses, and take `\` for `/`.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  if (/[\u0000-\u0020\u007f\\]/.test(url)) return null;
  if (/^\/(?!\/)/.test(url)) return { href: url, outside: false };
  if (!/^https?:\/\//i.test(url)) return null;
  try {
    return { href: new URL(url).href, outside: true };
  } catch {
    return null;
  }
}
