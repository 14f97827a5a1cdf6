/** What lives as long as the tab: the way to the service and the uploads under way. */

import { useSyncExternalStore } from "react";
import { Api } from "../data/api.ts";
import { UploadManager } from "../data/uploads.ts";

export const ownerApi = new Api();
export const uploads = new UploadManager(ownerApi, window.localStorage);

export function useUploads() {
  return useSyncExternalStore(uploads.subscribe, uploads.getSnapshot);
}
