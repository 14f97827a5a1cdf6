/** Objects that live as long as the tab: the way to the service and the running uploads. */

import { useSyncExternalStore } from "react";
import { ServiceClient } from "../client.ts";
import { Api } from "../routes/service.ts";
import { PeopleApi } from "../routes/users.ts";
import { UploadManager } from "./uploads.ts";

export const ownerApi = new Api();
export const peopleApi = new PeopleApi(new ServiceClient());
export const uploads = new UploadManager(ownerApi, window.localStorage);

export function useUploads() {
  return useSyncExternalStore(uploads.subscribe, uploads.getSnapshot);
}
