/** Rights of the reader besides viewing: links and named readers are offered only the allowed actions. */

import { createContext, useContext } from "react";
import type { Permission } from "../api/types.ts";

export const PermissionContext = createContext<readonly Permission[]>(["comment", "download"]);

/** True if the reader owns the analysis. */
export const OwnerContext = createContext(true);

export function useOwner(): boolean {
  return useContext(OwnerContext);
}

export function usePermission(right: Permission): boolean {
  return useContext(PermissionContext).includes(right);
}
