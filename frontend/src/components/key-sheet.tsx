import { KEY_ROWS, POINTER_ROWS } from "../logic/keys.ts";
import { Dialog } from "./dialog.tsx";

export function KeySheet({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog title="Keys and pointer" onClose={onClose} className="key-sheet">
      <div className="key-columns">
        <dl>
          {KEY_ROWS.map((row) => (
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
