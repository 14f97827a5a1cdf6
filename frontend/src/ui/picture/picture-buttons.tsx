import { type RefObject, useRef } from "react";
import { PICTURE_FORMATS, usePicture } from "./use-picture.ts";

interface Props {
  /** Name of the file. */
  readonly name: string;
  /** What the picture shows, for who does not see it. */
  readonly title: string;
}

/** Saves the view that it stands in, the next `data-picture` around it, as a picture. */
export function PictureButtons({ name, title }: Props) {
  const here = useRef<HTMLSpanElement>(null);
  const { problem, save } = usePicture();
  return (
    <span className="picture-tools" ref={here}>
      {PICTURE_FORMATS.map((format) => (
        <button
          key={format}
          type="button"
          className="inline download"
          onClick={() => save(here.current?.closest<HTMLElement>("[data-picture]"), title, name, format)}
          title={`Save this view as a picture: ${title}`}
        >
          {format.toUpperCase()}
        </button>
      ))}
      {problem !== null && (
        <span className="problem" role="alert">
          {problem}
        </span>
      )}
    </span>
  );
}

interface PartPictureProps {
  /** What is taken. */
  readonly of: RefObject<HTMLElement | null>;
  readonly title: string;
  /** Of the file, without what tells the format. */
  readonly name: string;
}

/** A part of the page as a picture, next to its table. */
export function PartPicture({ of, title, name }: PartPictureProps) {
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
