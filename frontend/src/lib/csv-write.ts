/** A table as text for people who take it elsewhere: CSV (RFC 4180), and fields with tabs between. */

export type Field = string | number | bigint | boolean | null | undefined;

export function csvText(head: readonly string[], rows: readonly (readonly Field[])[]): string {
  return [head, ...rows].map((row) => `${row.map(field).join(",")}\r\n`).join("");
}

/** As spreadsheets and mails take it when it is pasted. Tabs and line ends in names become blanks. */
export function tabText(head: readonly string[], rows: readonly (readonly Field[])[]): string {
  const plain = (value: Field) => {
    const text = guarded(value).replace(BETWEEN, " ");
    // Behind a quote at the beginning, what is pasted goes on to the next one, over tabs and line ends.
    return text.startsWith('"') ? `'${text}` : text;
  };
  return [head, ...rows].map((row) => `${row.map(plain).join("\t")}\n`).join("");
}

/** What ends a field or a line in some program. */
const BETWEEN = /[\t\n\v\f\r\u0085\u2028\u2029]+/g;
/** What begins a formula, also in wide signs and behind what is not seen. */
const FORMULA = /^[\s\p{C}]*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r\n]/u;
const NUMBER = /^[+-]?\d+(\.\d+)?(e[+-]?\d+)?$/i;

function field(value: Field): string {
  const text = guarded(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Names come from a trace: one that begins like a formula must not become one in somebody's spreadsheet. */
function guarded(value: Field): string {
  if (typeof value !== "string") return value === null || value === undefined ? "" : String(value);
  return FORMULA.test(value) && !NUMBER.test(value) ? `'${value}` : value;
}
