import { type ReactNode, useEffect, useRef } from "react";
import { Button } from "./fields.tsx";

interface Props {
  readonly title: string;
  readonly onClose: () => void;
  readonly className?: string;
  readonly children: ReactNode;
}

/** A modal dialog: the browser keeps the focus inside and closes it on Esc. */
export function Dialog({ title, onClose, className = "", children }: Props) {
  const ref = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const dialog = ref.current;
    dialog?.showModal();
    // The dialog itself has the focus first: a ring around the first button would point at nothing. A field to type in keeps it.
    if (!dialog?.querySelector("[role=combobox]")) dialog?.focus();
    return () => dialog?.close();
  }, []);
  return (
    <dialog
      ref={ref}
      tabIndex={-1}
      className={className}
      aria-label={title}
      // The browser reports "close" later than it closes: a key pressed in between would open the dialog that is about to go.
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClose={onClose}
      onPointerDown={(event) => {
        // A press on the backdrop lands on the dialog element itself.
        if (event.target === ref.current) onClose();
      }}
    >
      <div className="dialog-body">
        <header>
          <h2>{title}</h2>
          <Button className="quiet" onClick={onClose} aria-label="Esc: close">
            Esc
          </Button>
        </header>
        {children}
      </div>
    </dialog>
  );
}
