/** Files that are dropped anywhere on the page. */

import { useEffect, useState } from "react";
import { type PickedFile, pickedFromDrop } from "../api/session/file-handles.ts";

const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes("Files") ?? false;

/**
 * Takes the files of every drop on the page; true while some are held over it.
 * @param onPick stays the same function
 */
export function useDrop(onPick: (picked: readonly PickedFile[]) => void): boolean {
  const [over, setOver] = useState(false);
  useEffect(() => {
    const stop = new AbortController();
    const { signal } = stop;
    const hold = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(true);
    };
    const leave = ({ relatedTarget }: DragEvent) => {
      if (relatedTarget === null) setOver(false);
    };
    const drop = (event: DragEvent) => {
      setOver(false);
      if (!event.dataTransfer || !hasFiles(event)) return;
      event.preventDefault();
      void pickedFromDrop(event.dataTransfer).then((picked) => {
        if (picked.length > 0) onPick(picked);
      });
    };
    window.addEventListener("dragover", hold, { signal });
    window.addEventListener("dragleave", leave, { signal });
    window.addEventListener("drop", drop, { signal });
    return () => stop.abort();
  }, [onPick]);
  return over;
}
