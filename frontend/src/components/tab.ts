/** What lives as long as the tab: the way to the service and the uploads under way. */

import { useSyncExternalStore } from "react";
import { Api } from "../data/api/api.ts";
import { PeopleApi } from "../data/api/people.ts";
import { UploadManager } from "../data/uploads.ts";
import { who } from "../data/who.ts";

export const ownerApi = new Api();
export const peopleApi = new PeopleApi();
export const uploads = new UploadManager(ownerApi, window.localStorage);

export function useWho() {
  return useSyncExternalStore(who.subscribe, who.getSnapshot);
}

export function useUploads() {
  return useSyncExternalStore(uploads.subscribe, uploads.getSnapshot);
}
