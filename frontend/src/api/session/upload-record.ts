/**
 * Unfinished uploads in the browser's memory, so that a reload loses nothing: names, sizes and the place on the
 * server. File contents cannot be stored; the user chooses the file again.
 */

export interface FileRecord {
  /** Made by the page, unique among its uploads. */
  readonly key: string;
  readonly name: string;
  readonly size: number;
  /** Time of last modification, ms: the same name and size may still be another recording. */
  readonly modified: number;
  /** Place on the server; null before it was created there. */
  readonly url: string | null;
  readonly done: boolean;
}

export interface BatchRecord {
  readonly id: string;
  readonly files: readonly FileRecord[];
  /** The analysis that the files are added to; absent or null for a new one. */
  readonly target?: string | null;
}

const SCHEMA = 1;

export function encodeRecords(batches: readonly BatchRecord[]): string {
  return JSON.stringify({ schema: SCHEMA, batches });
}

/** Reads what an earlier page wrote; anything that is not understood is forgotten. */
export function decodeRecords(text: string | null): BatchRecord[] {
  if (text === null) return [];
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return [];
  }
  const { schema, batches } = (parsed ?? {}) as { schema?: unknown; batches?: unknown };
  if (schema !== SCHEMA || !Array.isArray(batches)) return [];
  return batches.filter(isBatch);
}

function isBatch(value: unknown): value is BatchRecord {
  const { id, files, target } = (value ?? {}) as { id?: unknown; files?: unknown; target?: unknown };
  if (target !== undefined && target !== null && typeof target !== "string") return false;
  return typeof id === "string" && Array.isArray(files) && files.length > 0 && files.every(isFile);
}

function isFile(value: unknown): value is FileRecord {
  const { key, name, size, modified, url, done } = (value ?? {}) as Record<keyof FileRecord, unknown>;
  return (
    typeof key === "string" &&
    typeof name === "string" &&
    typeof size === "number" &&
    typeof modified === "number" &&
    (url === null || typeof url === "string") &&
    typeof done === "boolean"
  );
}

export interface FileIdentity {
  readonly name: string;
  readonly size: number;
  readonly lastModified: number;
}

export function isSameFile(record: FileRecord, file: FileIdentity): boolean {
  return record.name === file.name && record.size === file.size && record.modified === file.lastModified;
}

/** Returns whether an upload continues without the user: one that was left, stopped or refused waits. */
export function isUnderWay(
  batches: readonly { readonly files: readonly { readonly state: string }[] }[],
): boolean {
  return batches.some(({ files }) => files.every(({ state }) => MOVING.has(state) || state === "done"));
}

const MOVING: ReadonlySet<string> = new Set(["waiting", "uploading", "retrying"]);

/** The id by which an analysis names a finished upload: the last part of its address. */
export function uploadId(url: string): string {
  return decodeURIComponent(
    url
      .replace(/[?#].*$/, "")
      .replace(/\/+$/, "")
      .split("/")
      .at(-1) ?? "",
  );
}

/**
 * Says in one message which files are left out; null where none are.
 * @param unknown messages about files that cannot be read
 * @param others number of the other files
 */
export function leftOut(empty: readonly string[], unknown: readonly string[], others: number): string | null {
  const [first] = empty;
  const names = empty.length === 1 ? `${first} is` : `${first} and ${empty.length - 1} more files are`;
  const more = unknown.length === 1 ? "" : ` ${unknown.length - 1} more files cannot be read either.`;
  const parts = [
    ...(empty.length > 0 ? [`${names} empty`] : []),
    ...(unknown.length > 0 ? [`${unknown[0]}${more}`] : []),
  ];
  if (parts.length === 0) return null;
  const said = parts.join("; ").replace(/\.$/, "");
  if (others === 0) return `Nothing was uploaded: ${said}.`;
  return unknown.length === 0 ? `${said} and left out.` : `Left out: ${said}.`;
}
