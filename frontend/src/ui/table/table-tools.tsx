import { csvText, tabText } from "../../lib/csv.ts";
import { formatCount } from "../../lib/format.ts";
import { CopyButton } from "../copy-button.tsx";
import { saveBlob } from "../downloads.tsx";
import { arrowBytes } from "./arrow-write.ts";
import { exactRows, type TextTable } from "./described-table.ts";
import type { TableOrder } from "./table-head.tsx";

interface Props {
  readonly table: TextTable;
  readonly order: TableOrder;
  /** Name of the files; null for a table that is given away elsewhere. */
  readonly name: string | null;
  readonly label: string;
}

/** Above a table: filters by column, and what is shown as a file or as text, with exact numbers. */
export function TableTools({ table, order, name, label }: Props) {
  const { filtering } = order;
  if (!table.keys && name === null) return null;
  const rows = () => exactRows(table, order.order);
  const shown = order.order?.length ?? table.rows.length;
  const all = table.rows.length;
  const csv = () => {
    saveBlob(new Blob([csvText(table.exactHead, rows())], { type: "text/csv" }), `${name}.csv`);
  };
  const arrow = () => {
    const bytes = arrowBytes(table.exactHead, rows(), table.exactUnits);
    saveBlob(new Blob([bytes], { type: "application/vnd.apache.arrow.stream" }), `${name}.arrow`);
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms
    <div className="table-tools" role="group" aria-label={`Tools of ${label}`}>
      {table.keys && (
        <button
          type="button"
          className="quiet column-filter-button"
          aria-pressed={filtering}
          onClick={() => order.setFiltering(!filtering)}
        >
          {filtering ? "No column filters" : "Column filters"}
        </button>
      )}
      {name !== null && (
        <>
          <button
            type="button"
            className="inline download"
            onClick={csv}
            title="Save what is shown, with exact numbers"
          >
            CSV
          </button>
          <button
            type="button"
            className="inline download"
            onClick={arrow}
            title="Save what is shown as an Arrow stream"
          >
            Arrow
          </button>
          <span className="copy-place">
            <CopyButton
              text={() => tabText(table.exactHead, rows())}
              label={`copy: ${label}, exact numbers with tabs between`}
            />
          </span>
        </>
      )}
      <span className="muted" role="status">
        {shown === all ? "" : `${formatCount(shown)} of ${formatCount(all)}`}
      </span>
    </div>
  );
}
