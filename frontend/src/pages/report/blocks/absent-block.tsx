import type { ReactNode } from "react";

/** Why there is no view, in its place. */
export function Absent({ children }: { readonly children: ReactNode }) {
  return (
    <p className="live-absent" role="note">
      This view cannot be drawn. {children}
    </p>
  );
}
