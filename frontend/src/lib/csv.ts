/** CSV as it streams in: fields may be quoted and hold commas, quotes and line ends (RFC 4180). */

/** What the next character means. */
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
