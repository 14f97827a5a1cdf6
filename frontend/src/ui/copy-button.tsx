import { useEffect, useState } from "react";
import { Button } from "./fields.tsx";

interface Props {
  /** A text that is long to make is made when it is requested. */
  readonly text: string | (() => string);
  readonly label: string;
  readonly word?: string;
}

export function CopyButton({ text, label, word = "copy" }: Props) {
  const [said, setState] = useState<string | null>(null);
  useEffect(() => {
    if (said === null) return undefined;
    const timer = setTimeout(() => setState(null), 1400);
    return () => clearTimeout(timer);
  }, [said]);
  const copy = () => {
    copyText(typeof text === "string" ? text : text()).then(
      () => setState("copied"),
      () => setState("not allowed"),
    );
  };
  return (
    <Button className="copy" onClick={copy} aria-label={label} title={label}>
      {said ?? word}
    </Button>
  );
}

/** The clipboard interface exists only on secure origins; a page on plain HTTP copies by a selection. */
export async function copyText(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const area = document.createElement("textarea");
  area.value = text;
  area.className = "off-screen";
  (document.querySelector("dialog[open]") ?? document.body).append(area);
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  if (!done) throw new Error("copying was refused");
}
