import type { AnchorHTMLAttributes, MouseEvent } from "react";
import { navigate } from "./navigation.ts";

interface Props extends AnchorHTMLAttributes<HTMLAnchorElement> {
  readonly to: string;
}

/** A link inside the page; with a modifier key it is the browser's own link. */
export function Link({ to, children, ...rest }: Props) {
  const follow = (event: MouseEvent) => {
    if (event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    navigate(to);
  };
  return (
    <a href={to} onClick={follow} {...rest}>
      {children}
    </a>
  );
}
