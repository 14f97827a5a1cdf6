/** CSV as it streams in: fields may be quoted and hold commas, quotes and line ends (RFC 4180). */

/** State of the parser at the next character. */
type State = "begin" | "plain" | "quoted" | "quote";

/** Takes text in parts of any size and gives back whole records. */
export class CsvReader {
  #state: State = "begin";
  #field = "";
  #record: string[] = [];

  push(text: string): string[][] {
    const records: string[][] = [];
    let at = 0;
    while (at < text.length) {
      if (this.#state === "quoted") {
        const quote = text.indexOf('"', at);
        const end = quote < 0 ? text.length : quote;
        this.#field += text.slice(at, end);
        if (quote >= 0) this.#state = "quote";
        at = end + 1;
      } else at = this.#step(text, at, records);
    }
    return records;
  }

  /** The record that no line end closed, if there is one. */
  end(): string[][] {
    const records: string[][] = [];
    if (this.#state !== "begin" || this.#record.length > 0) this.#endRecord(records);
    return records;
  }

  /** One character outside of quotes, or all plain ones up to the next that ends something. */
  #step(text: string, at: number, records: string[][]): number {
    const sign = text[at];
    if (sign === '"' && (this.#state === "begin" || this.#state === "quote")) {
      // A quote behind a quote is one that belongs to the field.
      if (this.#state === "quote") this.#field += sign;
      this.#state = "quoted";
      return at + 1;
    }
    if (sign === ",") this.#endField();
    else if (sign === "\n") this.#endRecord(records);
    else {
      const rest = /[,\n]/g;
      rest.lastIndex = at;
      const end = rest.exec(text)?.index ?? text.length;
      // What follows a closing quote up to the line end can only be a carriage return.
      if (this.#state !== "quote") {
        this.#field += text.slice(at, end);
        this.#state = "plain";
      }
      return end;
    }
    return at + 1;
  }

  #endField(): void {
    this.#record.push(this.#field);
    this.#field = "";
    this.#state = "begin";
  }

  #endRecord(records: string[][]): void {
    if (this.#state === "plain" && this.#field.endsWith("\r")) this.#field = this.#field.slice(0, -1);
    this.#endField();
    records.push(this.#record);
    this.#record = [];
  }
}

export type Field = string | number | bigint | boolean | null | undefined;

export function csvText(head: readonly string[], rows: readonly (readonly Field[])[]): string {
  return [head, ...rows].map((row) => `${row.map(field).join(",")}\r\n`).join("");
}

/** In a form that spreadsheets and e-mail programs accept from the clipboard. Tabs and line ends in names become blanks. */
export function tabText(head: readonly string[], rows: readonly (readonly Field[])[]): string {
  const plain = (value: Field) => {
    const text = guarded(value).replace(BETWEEN, " ");
    // Behind a quote at the beginning, what is pasted continues to the next one, over tabs and line ends.
    return text.startsWith('"') ? `'${text}` : text;
  };
  return [head, ...rows].map((row) => `${row.map(plain).join("\t")}\n`).join("");
}

/** Characters that end a field or a line in some program. */
const BETWEEN = /[\t\n\v\f\r\u0085\u2028\u2029]+/g;
/** Starts of a formula, also in wide signs and after invisible characters. */
const FORMULA = /^[\s\p{C}]*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r\n]/u;
const NUMBER = /^[+-]?\d+(\.\d+)?(e[+-]?\d+)?$/i;

function field(value: Field): string {
  const text = guarded(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Names come from a trace: one that begins like a formula must not become one in a user's spreadsheet. */
function guarded(value: Field): string {
  if (typeof value !== "string") return value === null || value === undefined ? "" : String(value);
  return FORMULA.test(value) && !NUMBER.test(value) ? `'${value}` : value;
}
