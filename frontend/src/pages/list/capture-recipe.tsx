import { useMemo, useState } from "react";
import { Dialog } from "../../ui/dialog.tsx";

const RECIPE = `sudo .venv/bin/numalens record --duration 10
# or, where NumaLens is not installed:
sudo trace-cmd record -C mono -b 16384 \\
     -e sched -e migrate -e irq sleep 10
lscpu -p=CPU,CORE,SOCKET,NODE > lscpu-p.txt`;

/** Absent where the page is built without the checkout around it. */
const [GUIDE] = Object.values(
  import.meta.glob<string>("../../../../docs/capture.md", { query: "?raw", import: "default", eager: true }),
);

export function CaptureRecipe() {
  const [open, setOpen] = useState(false);
  return (
    <figure className="recipe">
      <figcaption>Record ten seconds on the machine in question</figcaption>
      <pre>{RECIPE}</pre>
      <p className="muted">
        The recorder takes pressure, memory and topology, too, all on one clock. <code>-b</code> is KiB of
        buffer per CPU, so that no events are lost. Without a topology the nodes are learnt from the events,
        or assumed, and the page says so.
      </p>
      {GUIDE !== undefined && (
        <button type="button" className="inline" onClick={() => setOpen(true)}>
          With perf, with tracefs alone, and when it does not work
        </button>
      )}
      {open && GUIDE !== undefined && <Guide text={GUIDE} onClose={() => setOpen(false)} />}
    </figure>
  );
}

/** docs/capture.md, whose first heading becomes the dialog's. */
function Guide({ text, onClose }: { readonly text: string; readonly onClose: () => void }) {
  const [first, ...blocks] = useMemo(() => parseDoc(text), [text]);
  const title = first?.kind === "heading" ? first.words.join("") : "How to capture";
  return (
    <Dialog title={title} onClose={onClose} className="guide">
      {blocks.map((block, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a text that never changes
        <GuideBlock key={place} block={block} />
      ))}
    </Dialog>
  );
}

function GuideBlock({ block }: { readonly block: Block }) {
  switch (block.kind) {
    case "heading":
      return (
        <h3>
          <Inline words={block.words} />
        </h3>
      );
    case "code":
      return (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard
        <pre tabIndex={0}>{block.text}</pre>
      );
    case "table":
      return (
        <table className="grid-table">
          <tbody>
            {[block.head, ...block.rows].map((row, place) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a text that never changes
              <tr key={place}>
                {row.map((cell, column) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: a text that never changes
                  <td key={column} className={place === 0 ? "muted" : ""}>
                    <Inline words={cell} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      );
    case "text":
      return (
        <p>
          <Inline words={block.words} />
        </p>
      );
  }
}

function Inline({ words }: { readonly words: Words }) {
  return words.map((part, place) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: a text that never changes
    place % 2 === 1 ? <code key={place}>{part}</code> : part,
  );
}

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

/** Of a link its words: where it leads to is not here. */
function words(text: string): Words {
  return text.replace(/\[([^\]]+)\]\([^)]*\)/g, "$1").split("`");
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
