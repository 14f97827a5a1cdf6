/** What a copy for others is to have, as the dialog requests it. */

import type { CopyWish } from "../../api/types.ts";
import type { AbsWindow } from "../../lib/ranges.ts";
import { EMPTY_VIEW, encodeView, type ViewState } from "../../view-state/view-state.ts";

export interface CopyOptions {
  /** Only what the window shows. */
  readonly window: boolean;
  /** Only the selected task. */
  readonly task: boolean;
  readonly pseudonyms: boolean;
}

export const WHOLE: CopyOptions = { window: false, task: false, pseudonyms: false };

/** Without any of it the link opens the analysis itself. */
export function isCopy({ window, task, pseudonyms }: CopyOptions): boolean {
  return window || task || pseudonyms;
}

export function copyWish(options: CopyOptions, window: AbsWindow, pid: number | null): CopyWish {
  return {
    title: null,
    from_ns: options.window ? window.from.toString() : null,
    to_ns: options.window ? window.to.toString() : null,
    tasks: options.task && pid !== null ? [pid] : null,
    pseudonyms: options.pseudonyms,
  };
}

/** The view of a copy: where one looked, and nothing that names anything. */
export function copyView(view: ViewState): string {
  const { window, open, panels, drawer } = view;
  return encodeView({ ...EMPTY_VIEW, window, open, panels, drawer });
}
