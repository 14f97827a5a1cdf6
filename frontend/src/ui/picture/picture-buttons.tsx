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
  return (
    <span className="picture-tools" ref={here}>
      <Formats
        part={() => here.current?.closest<HTMLElement>("[data-picture]")}
        name={name}
        title={title}
        titleOf={() => `Save this view as a picture: ${title}`}
      />
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
  return (
    <Formats
      part={() => of.current}
      name={name}
      title={title}
      titleOf={(format) => `Save the picture as ${format.toUpperCase()}`}
    />
  );
}

interface FormatsProps extends Props {
  readonly part: () => HTMLElement | null | undefined;
  /** Of a button. */
  readonly titleOf: (format: string) => string;
}

function Formats({ part, name, title, titleOf }: FormatsProps) {
  const { problem, save } = usePicture();
  return (
    <>
      {PICTURE_FORMATS.map((format) => (
        <button
          key={format}
          type="button"
          className="inline download"
          onClick={() => save(part(), title, name, format)}
          title={titleOf(format)}
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
