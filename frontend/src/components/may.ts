/** What the reader may do besides looking; links offer only what they allow. */

import { createContext, useContext } from "react";
import type { May } from "../data/types.ts";

export const MayContext = createContext<readonly May[]>(["comment", "download"]);

export function useMay(right: May): boolean {
  return useContext(MayContext).includes(right);
}
