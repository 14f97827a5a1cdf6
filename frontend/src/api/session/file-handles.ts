/**
 * Handles of files, which survive a reload where the browser allows it (Chromium, dropped files): then an upload
 * continues with one click, or none. In other browsers nothing here has an effect.
 */

export interface StoredHandle {
  readonly kind: "file";
  getFile(): Promise<File>;
  queryPermission(options: { mode: "read" }): Promise<PermissionState>;
  requestPermission(options: { mode: "read" }): Promise<PermissionState>;
}

const DATABASE = "numalens";
const STORE = "file-handles";

function open(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(DATABASE, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(STORE);
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

async function withStore<T>(
  mode: IDBTransactionMode,
  act: (store: IDBObjectStore) => IDBRequest<T>,
): Promise<T> {
  const database = await open();
  try {
    return await new Promise<T>((resolve, reject) => {
      const request = act(database.transaction(STORE, mode).objectStore(STORE));
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
  } finally {
    database.close();
  }
}

export async function keepHandle(key: string, handle: StoredHandle): Promise<void> {
  await withStore("readwrite", (store) => store.put(handle, key)).catch(() => undefined);
}

export async function storedHandle(key: string): Promise<StoredHandle | null> {
  const found = await withStore<unknown>("readonly", (store) => store.get(key)).catch(() => undefined);
  return found && typeof (found as StoredHandle).getFile === "function" ? (found as StoredHandle) : null;
}

export async function dropHandle(key: string): Promise<void> {
  await withStore("readwrite", (store) => store.delete(key)).catch(() => undefined);
}

export interface PickedFile {
  readonly file: File;
  readonly handle: StoredHandle | null;
}

/** Limit of files of a dropped folder: more are not a recording with its companion files. */
const MOST_OF_FOLDER = 1000;

/** Files of a drop with their handles, folders with all that is in them. Must be called inside the event handler: the list is gone after it. */
export async function pickedFromDrop(transfer: DataTransfer): Promise<PickedFile[]> {
  const items = [...transfer.items].filter((item) => item.kind === "file");
  const wanted = items.map(async (item): Promise<PickedFile[]> => {
    const file = item.getAsFile();
    const entry = item.webkitGetAsEntry();
    const withHandle = item as DataTransferItem & {
      getAsFileSystemHandle?: () => Promise<StoredHandle | null>;
    };
    const requested = withHandle.getAsFileSystemHandle?.();
    if (entry?.isDirectory) {
      const files = await filesOf(entry as FileSystemDirectoryEntry);
      return files.map((each) => ({ file: each, handle: null }));
    }
    const handle = await requested?.catch(() => null);
    return file ? [{ file, handle: handle?.kind === "file" ? handle : null }] : [];
  });
  return (await Promise.all(wanted)).flat();
}

/** Files of a folder and its subfolders, by name. Hidden files are not inputs. */
export async function filesOf(folder: FileSystemDirectoryEntry): Promise<File[]> {
  const found: File[] = [];
  const waiting: FileSystemDirectoryEntry[] = [folder];
  for (let next = waiting.shift(); next && found.length < MOST_OF_FOLDER; next = waiting.shift()) {
    for (const entry of await entriesOf(next)) {
      if (entry.name.startsWith(".")) continue;
      if (entry.isDirectory) waiting.push(entry as FileSystemDirectoryEntry);
      else if (found.length < MOST_OF_FOLDER) {
        found.push(
          await new Promise<File>((resolve, reject) => {
            (entry as FileSystemFileEntry).file(resolve, reject);
          }),
        );
      }
    }
  }
  return found;
}

/** A folder is listed in parts, the last of which is empty. */
async function entriesOf(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const all: FileSystemEntry[] = [];
  for (;;) {
    const part = await new Promise<FileSystemEntry[]>((resolve, reject) => {
      reader.readEntries(resolve, reject);
    });
    if (part.length === 0) break;
    all.push(...part);
  }
  return all.sort((a, b) => a.name.localeCompare(b.name, "en"));
}
