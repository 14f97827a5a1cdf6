/**
 * Where the browser allows it (Chromium, dropped files), handles of files outlive a reload: then one click,
 * or none, goes on with an upload. Elsewhere all of this quietly does nothing.
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

/** Files of a drop with their handles. Must be called inside the event handler: the list is gone after it. */
export async function pickedFromDrop(transfer: DataTransfer): Promise<PickedFile[]> {
  const items = [...transfer.items].filter((item) => item.kind === "file");
  const wanted = items.map(async (item): Promise<PickedFile | null> => {
    const file = item.getAsFile();
    const folder = item.webkitGetAsEntry()?.isDirectory ?? false;
    const withHandle = item as DataTransferItem & {
      getAsFileSystemHandle?: () => Promise<StoredHandle | null>;
    };
    const handle = await withHandle.getAsFileSystemHandle?.().catch(() => null);
    return file && !folder ? { file, handle: handle?.kind === "file" ? handle : null } : null;
  });
  return (await Promise.all(wanted)).filter((picked) => picked !== null);
}
