/** The page, its engine and a bundle as one file; `backend/numalens/report/one_file.py` writes the same. */

interface Contents {
  /** A bundle as one file. */
  readonly packed: Blob;
  /** Name of the recording in the file. */
  readonly name: string;
  /** The query of the page's address that the file opens on. */
  readonly view: string;
}

/** The page as one file, without a recording: the source of this document, where that is what it is. */
let ownSource: string | null = null;

/** Says that this document is the page as one file; to be called before anything is drawn in it. */
export function keepOwnSource(document: Document): void {
  ownSource = `<!doctype html>\n${document.documentElement.outerHTML}`;
}

async function emptyPage(): Promise<string> {
  if (ownSource !== null) return ownSource;
  const answer = await fetch("/numalens.html");
  if (!answer.ok) throw new Error("The server did not return its page as one file.");
  return answer.text();
}

const BODY = "<body>";
/** Bytes that become base64 at once: a multiple of 3, so that no part ends in padding. */
const PIECE = 3 << 16;

export async function pageFile({ packed, name, view }: Contents): Promise<Blob> {
  const page = await emptyPage();
  const at = page.lastIndexOf(BODY) + BODY.length;
  const bytes = new Uint8Array(await packed.arrayBuffer());
  const base64: string[] = [];
  for (let from = 0; from < bytes.length; from += PIECE)
    base64.push(btoa(String.fromCharCode(...bytes.subarray(from, from + PIECE))));
  const opening = `<script type="application/octet-stream" id="bundle" data-name="${escaped(name)}" data-view="${escaped(view)}">`;
  return new Blob([page.slice(0, at), opening, ...base64, "</script>", page.slice(at)], {
    type: "text/html",
  });
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
