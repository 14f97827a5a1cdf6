import type { RefObject } from "react";
import { PICTURE_FORMATS, usePicture } from "./use-picture.ts";

interface Props {
  /** What is taken. */
  readonly of: RefObject<HTMLElement | null>;
  readonly title: string;
  /** Of the file, without what tells the format. */
  readonly name: string;
}

/** A part of the page as a picture, beside its table. */
export function PartPicture({ of, title, name }: Props) {
  const { problem, save } = usePicture();
  return (
    <>
      {PICTURE_FORMATS.map((format) => (
        <button
          key={format}
          type="button"
          className="inline download"
          onClick={() => save(of.current, title, name, format)}
          title={`Save the picture as ${format.toUpperCase()}`}
        >
          {format.toUpperCase()}
        </button>
      ))}
      {problem !== null && (
        <span className="problem" role="alert">
          {problem}
        </span>
      )}
    </>
  );
}
