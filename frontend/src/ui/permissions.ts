/** What the reader may do besides looking: links and named readers are offered only what they are allowed. */

import { createContext, useContext } from "react";
import type { May } from "../api/types.ts";

export const MayContext = createContext<readonly May[]>(["comment", "download"]);

/** Whether the reader owns what is shown. */
export const OwnerContext = createContext(true);

export function useOwner(): boolean {
  return useContext(OwnerContext);
}

export function useMay(right: May): boolean {
  return useContext(MayContext).includes(right);
}
