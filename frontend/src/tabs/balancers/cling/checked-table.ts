/** What the kernel printed of cling against what a replay comes to, kind by kind. */

import type { ClingSection } from "../../../api/types.ts";
import { CHECKS } from "../../../panels/cling/cling.ts";
import { describeTable, type TextTable } from "../../../ui/table/described-table.ts";

type Checked = NonNullable<ClingSection["checked"]>;
type Kind = Checked["kinds"][number];

/** Kinds of which anything was printed. */
export function checkedKinds(checked: Pick<Checked, "kinds"> | null): readonly Kind[] {
  return checked?.kinds.filter(({ compared, adopted }) => compared + adopted > 0) ?? [];
}

export function checkedTable(kinds: readonly Kind[]): TextTable {
  return describeTable<Kind>(
    [
      {
        name: "what the kernel printed",
        exact: "check",
        value: ({ check }) => check,
        show: ({ check }) => CHECKS[check] ?? check,
      },
      { name: "compared", exact: "compared", unit: "count", value: ({ compared }) => compared },
      { name: "exact", exact: "exact", unit: "count", value: ({ exact }) => exact },
      {
        name: "near",
        exact: "near",
        unit: "count",
        value: ({ near }) => near,
        title: "As replayed shortly before or after: read without the group's lock",
      },
      {
        name: "first printed",
        exact: "adopted",
        unit: "count",
        value: ({ adopted }) => adopted,
        title: "Nothing to compare with: printed for the first time",
      },
      {
        name: "off",
        exact: "off",
        unit: "count",
        value: ({ compared, exact, near }) => compared - exact - near,
      },
    ],
    kinds,
  );
}
