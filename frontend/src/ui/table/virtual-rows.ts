/** Which rows of a long list stand on the screen: only these become elements. */

export interface RowRange {
  readonly first: number;
  /** Behind the last. */
  readonly end: number;
}

/** Rows beyond both edges, so that a slow frame shows no blank. */
const SPARE = 8;

/** @param scrollTop,height,rowHeight CSS pixels */
export function visibleRows(count: number, rowHeight: number, scrollTop: number, height: number): RowRange {
  const first = Math.min(count, Math.max(0, Math.floor(scrollTop / rowHeight) - SPARE));
  const end = Math.min(count, Math.max(first, Math.ceil((scrollTop + height) / rowHeight) + SPARE));
  return { first, end };
}

/** The widest text of each column in characters, between a least and a most. */
export function columnWidths(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  most = 48,
): number[] {
  return head.map((name, column) => {
    let width = name.length;
    for (const row of rows) width = Math.max(width, row[column]?.length ?? 0);
    return Math.min(most, Math.max(4, width));
  });
}
