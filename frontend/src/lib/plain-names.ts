/**
 * Names from recordings in a form that is safe to show and copy: invisible characters, and those that move the
 * surrounding text, show as a sign.
 */

/**
 * Controls, marks that reorder or hide text, separators that a terminal or an editor takes for a line end, halves
 * of surrogate pairs, invisible tags, and noncharacters.
 */
const UNSEEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u180e\u200b-\u200f\u2028-\u202f\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\uffff\ud800-\udfff\u{e0000}-\u{e0fff}]/gu;

/** `a\nb` as `a␊b`, an override of direction as `⟨U+202E⟩`. */
export function plainName(text: string): string {
  return text.replace(UNSEEN, (sign) => {
    const code = sign.codePointAt(0) ?? 0;
    if (code < 0x20) return String.fromCodePoint(0x2400 + code);
    if (code === 0x7f) return "␡";
    if (code === 0xfffd) return sign;
    return `⟨U+${code.toString(16).toUpperCase().padStart(4, "0")}⟩`;
  });
}

/** Characters with a meaning in Markdown anywhere; some parsers have more than ours. */
const SIGNS = /[\\`*[\]<>|~&$@^]/g;
/** Inside of a word it is a letter. */
const UNDERSCORES = /(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])/g;
/** Characters with a meaning at the start of a line: headings, lists, rules, underlines. */
const FIRST = /^(?:[#+\-=:]|\d+(?=[.)]))/;

/** Text that shows as `plainName` says wherever Markdown puts words: a paragraph, a heading, a list, a field of a table. */
export function literal(text: string): string {
  return (
    plainName(text)
      .replace(SIGNS, "\\$&")
      .replace(UNDERSCORES, "\\_")
      .replace(FIRST, (found) => (/^\d/.test(found) ? `${found}\\` : `\\${found}`))
      // Links that some readers make of bare words.
      .replace(/\bwww\.|:\/\//gi, (found) => (found.startsWith(":") ? "\\://" : `${found.slice(0, -1)}\\.`))
      // Blanks at the ends would go, two before a line end would break it.
      .replace(/^\s+|\s+$/g, (blanks) => [...blanks].map((sign) => `&#${sign.codePointAt(0)};`).join(""))
  );
}

/** A file's name that says the same on every system: letters, digits and `-`. */
export function fileStem(title: string): string {
  const stem = title
    .normalize("NFKC")
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .slice(0, 80)
    .replace(/^-+|-+$/g, "");
  return stem === "" ? "report" : stem;
}
