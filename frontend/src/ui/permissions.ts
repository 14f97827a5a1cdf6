/** What the reader may do besides looking: links and named readers are offered only what they are allowed. */

import { createContext, useContext } from "react";
import type { Permission } from "../api/types.ts";

export const PermissionContext = createContext<readonly Permission[]>(["comment", "download"]);

/** Whether the reader owns what is shown. */
export const OwnerContext = createContext(true);

export function useOwner(): boolean {
  return useContext(OwnerContext);
}

export function usePermission(right: Permission): boolean {
  return useContext(PermissionContext).includes(right);
}
