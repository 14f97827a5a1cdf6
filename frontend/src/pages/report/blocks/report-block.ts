/**
 * Live views in the text of a report: a fenced block `numalens KIND` whose first line is the address of a view, as the page
 * has it. Lines below it are a caption in its writer's words.
 */

import { CURRENT_VIEW_VERSION, parseView, type ViewState } from "../../../view-state/view-state.ts";

export const VIEW_KINDS = ["timeline", "finding", "table", "sql"] as const;
export type ViewKind = (typeof VIEW_KINDS)[number];

export const FENCE_NAME = "numalens";

export interface LiveBlock {
  readonly kind: ViewKind;
  readonly id: string;
  /** As it was written: what a link back says. */
  readonly query: string;
  readonly view: ViewState;
  readonly caption: string;
}

export type ParsedBlock =
  | { readonly ok: true; readonly block: LiveBlock }
  /** One sentence that replaces the view. */
  | { readonly ok: false; readonly sentence: string };

const ADDRESS = /^(?:https?:\/\/[^/\s?#]+)?\/a\/([A-Za-z0-9_-]{1,64})\/?(?:\?([^\s#]*))?$/;
/** A view's address is a few hundred characters; a query can be long. */
const MOST_ADDRESS = 16_384;

/** The analysis and the view of an address; null for other text. */
export function parseAddress(text: string): { readonly id: string; readonly query: string } | null {
  if (text.length > MOST_ADDRESS) return null;
  const match = ADDRESS.exec(text);
  return match?.[1] ? { id: match[1], query: match[2] ?? "" } : null;
}

/** @param info the words after `numalens` */
export function parseBlock(info: string, text: string): ParsedBlock {
  const word = info.trim() || "timeline";
  const kind = VIEW_KINDS.find((each) => each === word);
  if (!kind) return no(`This page draws views of the kinds ${VIEW_KINDS.join(", ")}, but not this one.`);
  const [first = "", ...rest] = text.split("\n").filter((line, i) => i > 0 || line.trim() !== "");
  const address = parseAddress(first.trim());
  if (!address) return no("This view has no address: its first line must start with /a/ and the analysis.");
  const parsed = parseView(address.query);
  if (parsed.kind === "newer")
    return no(
      `This view was made by a later version of NumaLens (views of version ${parsed.version}, here ${CURRENT_VIEW_VERSION}).`,
    );
  const { view } = parsed;
  if (kind === "finding" && view.finding === null) return no("The address of this view names no finding.");
  if (kind === "sql" && view.query === null) return no("The address of this view has no query.");
  return { ok: true, block: { kind, ...address, view, caption: rest.join("\n").trim() } };
}

function no(sentence: string): ParsedBlock {
  return { ok: false, sentence };
}

/** The block of a view, between paragraphs. */
export function blockText(kind: ViewKind, id: string, query: string): string {
  // What the page writes needs no blanks and no line ends; a fence inside of it would end the block.
  const safe = query.replace(/[\s`#]/g, encodeURIComponent);
  return `\`\`\`${FENCE_NAME} ${kind}\n/a/${id}${safe === "" ? "" : `?${safe}`}\n\`\`\`\n`;
}

/** The text followed by a block. */
export function appended(text: string, block: string): string {
  const body = text.replace(/\s+$/, "");
  return body === "" ? block : `${body}\n\n${block}`;
}

/** The text with every live view as a link, for readers of Markdown elsewhere. */
export function withLinks(text: string, origin: string): string {
  return text.replace(
    /^(`{3,}|~{3,})numalens(?:[ \t]+(\w+))?[ \t]*\n([^\n]*)\n((?:(?!\1)[^\n]*\n)*)\1[ \t]*$/gm,
    (whole, _fence, kind: string | undefined, first: string, rest: string) => {
      const address = parseAddress(first.trim());
      if (!address) return whole;
      const path = `/a/${address.id}${address.query === "" ? "" : `?${address.query}`}`;
      const words = kind === undefined || kind === "timeline" ? "timeline" : kind;
      // Only what ends a link's address early is in the way.
      const href = `${origin}${path}`.replace(/[()<>\\]/g, encodeParen);
      return `[Open this ${words} in NumaLens](<${href}>)\n${rest.trim() === "" ? "" : `\n${rest.trim()}\n`}`;
    },
  );
}

function encodeParen(sign: string): string {
  return `%${sign.charCodeAt(0).toString(16).toUpperCase()}`;
}
