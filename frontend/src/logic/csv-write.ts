/** A table as CSV (RFC 4180), for people who take it elsewhere. */

export type Field = string | number | bigint | boolean | null | undefined;

export function csvText(head: readonly string[], rows: readonly (readonly Field[])[]): string {
  return [head, ...rows].map((row) => `${row.map(field).join(",")}\r\n`).join("");
}

function field(value: Field): string {
  const text = guarded(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Names come from a trace: one that begins like a formula must not become one in somebody's spreadsheet. */
function guarded(value: Field): string {
  if (typeof value !== "string") return value === null || value === undefined ? "" : String(value);
  return /^[=+\-@\t\r]/.test(value) && !/^-?\d/.test(value) ? `'${value}` : value;
}
