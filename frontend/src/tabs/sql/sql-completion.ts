/** What the editor offers while a query is typed: tables with their columns, our views, functions, and modules. */

import type { SqlSchema, SqlTableInfo } from "../../api/types.ts";

export interface Offer {
  readonly label: string;
  readonly type: "table" | "view" | "ours" | "function" | "module";
  /** Next to the name. */
  readonly detail: string;
  /** In full, when it is looked at. */
  readonly info: string | null;
  /** What must be included for it; null for what is always there. */
  readonly module: string | null;
  /** Names of its columns, with their types. */
  readonly columns: readonly { readonly name: string; readonly type: string }[];
}

const TYPES: Readonly<Record<SqlTableInfo["kind"], string>> = {
  table: "table",
  view: "view",
  ours: "NumaLens",
};

/** Tables and views by name, as they can stand behind FROM. */
export function tableOffers({ tables }: SqlSchema): readonly Offer[] {
  return tables.map(({ name, kind, description, module, columns }) => ({
    label: name,
    type: kind,
    detail: module ?? TYPES[kind],
    info: description,
    module,
    columns,
  }));
}

export function functionOffers({ functions }: SqlSchema): readonly Offer[] {
  return functions.map((label) => ({
    label,
    type: "function",
    detail: "function",
    info: null,
    module: null,
    columns: [],
  }));
}

/** Ours, and those that tables name. */
export function moduleOffers({ modules, tables }: SqlSchema): readonly Offer[] {
  const section = new Map<string, string>(
    tables.flatMap(({ module }) => (module === null ? [] : [[module, ""]])),
  );
  for (const { name, description } of modules) section.set(name, description);
  return [...section].map(([label, description]) => ({
    label,
    type: "module",
    detail: "module",
    info: description === "" ? null : description,
    module: null,
    columns: [],
  }));
}

/** Whether what stands before the cursor requests a module's name, and where that begins. */
export function moduleAt(before: string): { readonly from: number } | null {
  const match = /\binclude\s+perfetto\s+module\s+([\w.*]*)$/i.exec(before);
  return match ? { from: before.length - (match[1]?.length ?? 0) } : null;
}

/** The line that a query needs at its head for a view of a module; empty when it has it. */
export function includeFor(sql: string, module: string | null): string {
  if (module === null) return "";
  const name = module.replaceAll(".", "\\.");
  const has = new RegExp(`\\binclude\\s+perfetto\\s+module\\s+${name}\\s*(;|$)`, "i");
  return has.test(sql) ? "" : `INCLUDE PERFETTO MODULE ${module};\n`;
}
