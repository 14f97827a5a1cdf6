/** Rows that are alike, as one line until the reader opens it. */

export interface RowLine {
  readonly row: number;
  readonly group: string;
  /** How many rows the line stands for, itself among them; 0 for one inside an open group. */
  readonly count: number;
  readonly open: boolean;
}

/**
 * The rows as they are listed: of each group the first, and behind it the others where it is open. A group is open by itself
 * around `shown`, unless that is its first.
 */
export function groupRows(
  rows: readonly number[],
  groupOf: (row: number) => string,
  opened: ReadonlySet<string>,
  shown: number | null,
): readonly RowLine[] {
  const groups = new Map<string, number[]>();
  for (const row of rows) {
    const group = groupOf(row);
    const own = groups.get(group);
    if (own) own.push(row);
    else groups.set(group, [row]);
  }
  return [...groups].flatMap(([group, own]) => {
    const open = own.length > 1 && (opened.has(group) || (shown !== null && own.indexOf(shown) > 0));
    return own
      .slice(0, open ? own.length : 1)
      .map((row, place) => ({ row, group, count: place === 0 ? own.length : 0, open }));
  });
}
