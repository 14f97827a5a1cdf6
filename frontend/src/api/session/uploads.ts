/**
 * Uploads by the tus protocol, outliving a lost connection, a restarted server and a reloaded page.
 *
 * Files dropped together are one batch and become one analysis. What the server has acknowledged is never
 * sent again. The manager lives as long as the tab; pages only look at it.
 */

import { type DetailedError, Upload } from "tus-js-client";
import { ApiError, sentenceFromBody, sentenceOf } from "../client.ts";
import type { Api } from "../routes/service.ts";
import type { Analysis } from "../types.ts";
import { dropHandle, keepHandle, type PickedFile, type StoredHandle, storedHandle } from "./file-handles.ts";
import {
  type BatchRecord,
  decodeRecords,
  encodeRecords,
  type FileRecord,
  isSameFile,
  leftOut,
  uploadId,
} from "./upload-record.ts";

export type FileState =
  /** Queued. */
  | "waiting"
  | "uploading"
  /** The connection broke; it is tried again by itself. */
  | "retrying"
  | "paused"
  /** Begun before a reload: the file has to be chosen again. */
  | "absent"
  | "done"
  | "failed";

export interface UploadFile extends FileRecord {
  readonly state: FileState;
  /** Bytes handed to the network; after a break or a reload, what the server kept. */
  readonly sent: number;
  readonly problem: string | null;
  /** True if one click continues the upload after a reload. */
  readonly reopenable: boolean;
  /** True if the server does not accept such a file, so that sending it again cannot help. */
  readonly refused: boolean;
}

export interface UploadBatch {
  readonly id: string;
  readonly files: readonly UploadFile[];
  /** Reason for which no analysis could be created from finished uploads. */
  readonly problem: string | null;
  /** The analysis that the files are added to; null for a new one. */
  readonly target: string | null;
  /** Files that were left out; null for none. */
  readonly note: string | null;
}

interface Running {
  readonly upload: Upload;
  readonly file: File;
}

const ENDPOINT = "/api/v1/uploads/";
const STORAGE_KEY = "numalens.uploads";
/** Acknowledged piece by piece: at most one of these is sent twice after a break. */
const CHUNK_BYTES = 4 * 1024 * 1024;
const AT_ONCE = 2;
/** Quick at first, then every five seconds for an hour; progress restarts the row. */
const RETRY_DELAYS = [300, 700, 1500, 3000, ...Array.from({ length: 720 }, () => 5000)];
const CREATE_RETRY_MS = 2000;

export class UploadManager {
  readonly #api: Api;
  readonly #storage: Storage;
  readonly #running = new Map<string, Running>();
  readonly #files = new Map<string, File>();
  readonly #handles = new Map<string, StoredHandle>();
  readonly #creating = new Set<string>();
  readonly #listeners = new Set<() => void>();
  #batches: readonly UploadBatch[];
  #serial = 0;
  readonly #notes = new Map<string, string>();
  /** Called once per analysis that was created from a batch. */
  onCreated: (analysis: Analysis, batchId: string) => void = () => {};
  maxBytes: number | null = null;

  constructor(api: Api, storage: Storage) {
    this.#api = api;
    this.#storage = storage;
    this.#batches = decodeRecords(storage.getItem(STORAGE_KEY)).map((record) => restore(record));
    for (const batch of this.#batches) {
      for (const file of batch.files) if (!file.done) void this.#rediscover(file);
      this.#finish(batch.id);
    }
    window.addEventListener("online", () => this.#retryNow());
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly getSnapshot = (): readonly UploadBatch[] => this.#batches;

  /**
   * Files chosen or dropped together, without those that cannot be read. Raises one message when none can be; otherwise returns
   * which were left out, null for none.
   * @param target the analysis that they are added to; null for a new one
   */
  async offer(picked: readonly PickedFile[], target: string | null = null): Promise<string | null> {
    const full = picked.filter(({ file }) => file.size > 0);
    // What an unfinished upload misses was accepted before. Without an answer, the import says what is wrong.
    const fresh = full.filter(({ file }) => !this.#findAbsent(file)).map(({ file }) => file);
    const answers = fresh.length === 0 ? [] : await this.#api.analyses.refused(fresh).catch(() => []);
    const refused = new Map(fresh.map((file, place) => [file, answers[place] ?? null]));
    const good = full.filter(({ file }) => (refused.get(file) ?? null) === null);
    const empty = picked.filter(({ file }) => file.size === 0).map(({ file }) => file.name);
    const unknown = [...refused.values()].filter((sentence) => sentence !== null);
    const note = leftOut(empty, unknown, good.length);
    if (good.length === 0) throw new Error(note ?? "No file was given.");
    this.add(good, target, note);
    return note;
  }

  /** Files that were left out of an analysis that this tab uploaded; null for none. */
  noteOf(analysis: string): string | null {
    return this.#notes.get(analysis) ?? null;
  }

  /** Files chosen or dropped together. Those that an unfinished upload misses continue it. */
  add(picked: readonly PickedFile[], target: string | null = null, note: string | null = null): void {
    const fresh: PickedFile[] = [];
    let joined: string | null = null;
    for (const item of picked) {
      const found = this.#findAbsent(item.file);
      if (found) {
        joined = found.batch.id;
        this.#attach(found.file.key, item);
      } else fresh.push(item);
    }
    if (fresh.length > 0) this.#addFresh(fresh, joined, { target, note });
    this.#startSome();
  }

  /** The files of a batch; null when the tab does not have all of them. */
  filesOf({ files }: UploadBatch): readonly File[] | null {
    const found = files.flatMap(({ key }) => this.#files.get(key) ?? []);
    return found.length === files.length ? found : null;
  }

  pause(key: string): void {
    const running = this.#running.get(key);
    if (!running) return;
    void running.upload.abort();
    this.#running.delete(key);
    this.#patch(key, { state: "paused", problem: null });
    this.#startSome();
  }

  resume(key: string): void {
    this.#patch(key, { state: "waiting", problem: null });
    this.#startSome();
  }

  /** Continues after a reload with the file for which the browser still has a handle; needs a user's click. */
  async reopen(key: string): Promise<void> {
    const handle = this.#handles.get(key);
    if (!handle) return;
    if ((await handle.requestPermission({ mode: "read" })) === "granted")
      await this.#continueFrom(key, handle);
  }

  /** Cancels a batch and makes the server forget it. */
  cancel(batchId: string): void {
    const batch = this.#batches.find(({ id }) => id === batchId);
    if (!batch) return;
    for (const file of batch.files) {
      void this.#running.get(file.key)?.upload.abort();
      this.#running.delete(file.key);
      // What did not reach the server it forgets by itself after some days.
      if (file.url !== null) void Upload.terminate(file.url).catch(() => undefined);
    }
    this.#remove(batchId);
    this.#startSome();
  }

  /** Asks again for the analysis of a batch whose files have all arrived. */
  retryCreate(batchId: string): void {
    this.#patchBatch(batchId, null);
    this.#finish(batchId);
  }

  // ---- adding --------------------------------------------------------------------------------------

  #addFresh(
    picked: readonly PickedFile[],
    joined: string | null,
    { target, note }: Pick<UploadBatch, "target" | "note">,
  ): void {
    const files = picked.map(({ file, handle }): UploadFile => {
      this.#serial += 1;
      const key = `${Date.now().toString(36)}-${this.#serial}`;
      this.#files.set(key, file);
      if (handle) void keepHandle(key, handle);
      const problem = this.#refusal(file);
      return {
        key,
        name: file.name,
        size: file.size,
        modified: file.lastModified,
        url: null,
        done: false,
        state: problem === null ? "waiting" : "failed",
        sent: 0,
        problem,
        reopenable: false,
        refused: problem !== null,
      };
    });
    const host = this.#batches.find(({ id }) => id === joined);
    this.#batches = host
      ? this.#batches.map((b) => (b === host ? { ...b, files: [...b.files, ...files] } : b))
      : [{ id: files[0]?.key ?? "", files, problem: null, target, note }, ...this.#batches];
    this.#publish();
  }

  #refusal(file: File): string | null {
    if (file.size === 0) return `${file.name} is empty.`;
    if (this.maxBytes !== null && file.size > this.maxBytes) {
      return `${file.name} has ${file.size} bytes; this server takes at most ${this.maxBytes} per file (max_upload_bytes).`;
    }
    return null;
  }

  #findAbsent(file: File): { batch: UploadBatch; file: UploadFile } | null {
    for (const batch of this.#batches) {
      const missing = batch.files.find((f) => f.state === "absent" && isSameFile(f, file));
      if (missing) return { batch, file: missing };
    }
    return null;
  }

  #attach(key: string, { file, handle }: PickedFile): void {
    this.#files.set(key, file);
    if (handle) void keepHandle(key, handle);
    this.#patch(key, { state: "waiting", reopenable: false, problem: null });
  }

  // ---- after a reload ------------------------------------------------------------------------------

  /** Finds out how much the server already has, and whether the file can be read without being chosen again. */
  async #rediscover(file: UploadFile): Promise<void> {
    const handle = await storedHandle(file.key);
    if (handle) {
      this.#handles.set(file.key, handle);
      const permission = await handle.queryPermission({ mode: "read" }).catch(() => "denied" as const);
      if (permission === "granted") await this.#continueFrom(file.key, handle);
      else this.#patch(file.key, { reopenable: permission === "prompt" });
    }
    if (file.url === null) return;
    const answer = await fetch(file.url, { method: "HEAD", headers: { "Tus-Resumable": "1.0.0" } }).catch(
      () => null,
    );
    const offset = Number(answer?.headers.get("Upload-Offset") ?? Number.NaN);
    const now = this.#file(file.key);
    if (Number.isFinite(offset) && now && now.state !== "uploading") this.#patch(file.key, { sent: offset });
  }

  async #continueFrom(key: string, handle: StoredHandle): Promise<void> {
    const record = this.#file(key);
    const file = await handle.getFile().catch(() => null);
    if (record?.state !== "absent" || !file) return;
    if (!isSameFile(record, file)) {
      this.#patch(key, {
        reopenable: false,
        problem: `${record.name} has changed on disk since its upload began.`,
      });
      return;
    }
    this.#attach(key, { file, handle: null });
    this.#startSome();
  }

  // ---- sending -------------------------------------------------------------------------------------

  #startSome(): void {
    for (const batch of this.#batches) {
      for (const file of batch.files) {
        if (this.#running.size >= AT_ONCE) return;
        if (file.state === "waiting") this.#start(file);
      }
    }
  }

  #start({ key, url, name }: UploadFile): void {
    const file = this.#files.get(key);
    if (!file) {
      this.#patch(key, { state: "absent" });
      return;
    }
    const upload = new Upload(file, {
      endpoint: ENDPOINT,
      ...(url === null ? {} : { uploadUrl: url }),
      metadata: { filename: name },
      chunkSize: CHUNK_BYTES,
      retryDelays: RETRY_DELAYS,
      storeFingerprintForResuming: false,
      onShouldRetry: (error) => {
        const again = isPassing(error);
        if (again) this.#patch(key, { state: "retrying", problem: passingSentence(error) });
        return again;
      },
      // The path alone: after a restart the server may be at another address.
      onUploadUrlAvailable: () =>
        this.#patch(key, { url: upload.url && new URL(upload.url, window.location.href).pathname }),
      onProgress: (sent) => this.#patch(key, { state: "uploading", sent, problem: null }),
      onSuccess: () => this.#succeeded(key),
      onError: (error) => {
        this.#running.delete(key);
        this.#patch(key, {
          state: "failed",
          problem: failureSentence(error),
          refused: statusOf(error) === TOO_LARGE,
        });
        this.#startSome();
      },
    });
    this.#running.set(key, { upload, file });
    this.#patch(key, { state: "uploading", problem: null });
    upload.start();
  }

  #succeeded(key: string): void {
    this.#running.delete(key);
    const file = this.#file(key);
    this.#patch(key, { state: "done", done: true, sent: file?.size ?? 0, problem: null });
    void dropHandle(key);
    this.#startSome();
    const batch = this.#batches.find(({ files }) => files.some((f) => f.key === key));
    if (batch) this.#finish(batch.id);
  }

  #retryNow(): void {
    for (const [key, { upload }] of this.#running) {
      if (this.#file(key)?.state !== "retrying") continue;
      void upload.abort().then(() => upload.start());
    }
  }

  /** Makes the analysis once every file of a batch has arrived. */
  #finish(batchId: string): void {
    const batch = this.#batches.find(({ id }) => id === batchId);
    if (!batch || this.#creating.has(batchId) || !batch.files.every((file) => file.done)) return;
    this.#creating.add(batchId);
    const ids = batch.files.map((file) => uploadId(file.url ?? ""));
    const { target } = batch;
    const { analyses } = this.#api;
    const made = target === null ? analyses.create(ids, null) : analyses.reread(target, { uploads: ids });
    made.then(
      (analysis) => {
        this.#creating.delete(batchId);
        if (batch.note !== null) this.#notes.set(analysis.id, batch.note);
        this.#remove(batchId);
        this.onCreated(analysis, batchId);
      },
      (error: unknown) => {
        this.#creating.delete(batchId);
        this.#patchBatch(batchId, sentenceOf(error));
        const passing = error instanceof ApiError && (error.status === 0 || error.status >= 500);
        if (passing) setTimeout(() => this.#finish(batchId), CREATE_RETRY_MS);
      },
    );
  }

  // ---- state ---------------------------------------------------------------------------------------

  #file(key: string): UploadFile | null {
    for (const batch of this.#batches) {
      const found = batch.files.find((file) => file.key === key);
      if (found) return found;
    }
    return null;
  }

  #patch(key: string, change: Partial<UploadFile>): void {
    this.#batches = this.#batches.map((batch) =>
      batch.files.some((file) => file.key === key)
        ? { ...batch, files: batch.files.map((file) => (file.key === key ? { ...file, ...change } : file)) }
        : batch,
    );
    this.#publish();
  }

  #patchBatch(batchId: string, problem: string | null): void {
    this.#batches = this.#batches.map((batch) => (batch.id === batchId ? { ...batch, problem } : batch));
    this.#publish();
  }

  #remove(batchId: string): void {
    const batch = this.#batches.find(({ id }) => id === batchId);
    for (const file of batch?.files ?? []) {
      this.#files.delete(file.key);
      void dropHandle(file.key);
    }
    this.#batches = this.#batches.filter(({ id }) => id !== batchId);
    this.#publish();
  }

  #publish(): void {
    // A file that the server does not take need not be chosen again after a reload.
    const kept = this.#batches.map(({ id, files, target }) => ({
      id,
      target,
      files: files.filter((file) => !file.refused),
    }));
    const records = kept
      .filter(({ files }) => files.length > 0)
      .map(({ id, files, target }) => ({
        id,
        target,
        files: files.map(({ key, name, size, modified, url, done }) => ({
          key,
          name,
          size,
          modified,
          url,
          done,
        })),
      }));
    if (records.length === 0) this.#storage.removeItem(STORAGE_KEY);
    else this.#storage.setItem(STORAGE_KEY, encodeRecords(records));
    for (const listener of this.#listeners) listener();
  }
}

function restore(record: BatchRecord): UploadBatch {
  const files = record.files.map(
    (file): UploadFile => ({
      ...file,
      state: file.done ? "done" : "absent",
      sent: file.done ? file.size : 0,
      problem: null,
      reopenable: false,
      refused: false,
    }),
  );
  return { id: record.id, files, problem: null, target: record.target ?? null, note: null };
}

function statusOf(error: Error | DetailedError): number | null {
  return "originalResponse" in error ? (error.originalResponse?.getStatus() ?? null) : null;
}

const TOO_LARGE = 413;
const PASSING: ReadonlySet<number> = new Set([0, 409, 423, 429, 500, 502, 503, 504]);

/** Breaks that time heals: no answer at all, a server on its way up or down, another request's lock. */
function isPassing(error: DetailedError): boolean {
  const status = statusOf(error);
  return status === null || PASSING.has(status);
}

function passingSentence(error: DetailedError): string {
  const status = statusOf(error);
  if (status === null || status === 0) return "No connection to the server; retrying.";
  return `${sentenceFromBody(bodyOf(error), status)} Retrying.`;
}

function failureSentence(error: Error | DetailedError): string {
  const status = statusOf(error);
  return status === null ? sentenceOf(error) : sentenceFromBody(bodyOf(error), status);
}

function bodyOf(error: Error | DetailedError): unknown {
  try {
    return "originalResponse" in error ? JSON.parse(error.originalResponse?.getBody() ?? "") : null;
  } catch {
    // Not JSON: the status alone has to do.
    return null;
  }
}
