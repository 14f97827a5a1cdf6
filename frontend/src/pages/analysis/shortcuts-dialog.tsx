import { KEY_ROWS, type KeyRow, POINTER_ROWS } from "../../timeline/keys.ts";
import { Dialog } from "../../ui/dialog.tsx";

/** Two columns of keys, so that all of them are seen at once. */
const HALF = Math.ceil(KEY_ROWS.length / 2);

export function ShortcutsDialog({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog title="Shortcuts and pointer" onClose={onClose} className="key-sheet">
      <div className="key-columns">
        <Keys rows={KEY_ROWS.slice(0, HALF)} />
        <Keys rows={KEY_ROWS.slice(HALF)} />
        <dl className="pointer-rows">
          {POINTER_ROWS.map((row) => (
            <div key={row.keys}>
              <dt>{row.keys}</dt>
              <dd>{row.does}</dd>
            </div>
          ))}
        </dl>
      </div>
    </Dialog>
  );
}

function Keys({ rows }: { readonly rows: readonly KeyRow[] }) {
  return (
    <dl>
      {rows.map((row) => (
        <div key={row.command}>
          <dt>
            {row.keys.map((key) => (
              <kbd key={key}>{key}</kbd>
            ))}
          </dt>
          <dd>{row.does}</dd>
        </div>
      ))}
    </dl>
  );
}
