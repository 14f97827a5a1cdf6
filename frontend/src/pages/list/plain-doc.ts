/** A page of our own documentation, as far as it uses Markdown: headings, paragraphs, indented code and tables. */

/** Text with intervals of code in it, plain and code in turn, plain first. */
export type Words = readonly string[];

export type Block =
  | { readonly kind: "heading"; readonly level: number; readonly words: Words }
  | { readonly kind: "text"; readonly words: Words }
  | { readonly kind: "code"; readonly text: string }
  | { readonly kind: "table"; readonly head: readonly Words[]; readonly rows: readonly (readonly Words[])[] };

export function parseDoc(text: string): Block[] {
  const blocks: Block[] = [];
  for (const lines of chunks(text.split("\n"))) {
    const [first = ""] = lines;
    const heading = HEADING.exec(first);
    if (heading)
      blocks.push({ kind: "heading", level: heading[1]?.length ?? 1, words: words(heading[2] ?? "") });
    else if (isCode(first))
      blocks.push({ kind: "code", text: lines.map((line) => line.slice(4)).join("\n") });
    else if (first.startsWith("|")) blocks.push(table(lines));
    else blocks.push({ kind: "text", words: words(lines.join(" ")) });
  }
  return blocks;
}

const HEADING = /^(#{1,6}) (.*)$/;

function isHeading(line: string): boolean {
  return HEADING.test(line);
}

function isCode(line: string): boolean {
  return line.startsWith("    ");
}

/** Lines that belong together: up to an empty one, a heading alone, code over empty lines. */
function chunks(lines: readonly string[]): string[][] {
  const found: string[][] = [];
  let blank = true;
  for (const line of lines) {
    if (line.trim() === "") {
      blank = true;
      continue;
    }
    const before = found.at(-1);
    const start = before?.[0] ?? "";
    if (before && isCode(start) && isCode(line)) before.push(...(blank ? ["", line] : [line]));
    else if (before && !blank && !isCode(start) && !isHeading(start) && !isHeading(line)) before.push(line);
    else found.push([line]);
    blank = false;
  }
  return found;
}

function words(text: string): Words {
  return text.split("`");
}

function table(lines: readonly string[]): Block {
  const cells = (line: string) =>
    line
      .replace(/^\||\|\s*$/g, "")
      .split("|")
      .map((cell) => words(cell.trim()));
  const [head = "", , ...rows] = lines;
  return { kind: "table", head: cells(head), rows: rows.map(cells) };
}
