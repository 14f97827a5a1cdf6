import { type RefObject, useState } from "react";
import { sentenceOf } from "../data/api.ts";
import { saveBlob } from "./downloads.tsx";

interface Props {
  /** What is taken. */
  readonly of: RefObject<HTMLElement | null>;
  readonly title: string;
  /** Of the file, without what tells the format. */
  readonly name: string;
}

const FORMATS = ["png", "svg"] as const;

/** A part of the page as a picture, beside its table. */
export function PartPicture({ of, title, name }: Props) {
  const [problem, setProblem] = useState<string | null>(null);
  const save = (format: (typeof FORMATS)[number]) => {
    const element = of.current;
    if (!element) return;
    setProblem(null);
    import("../view/picture.ts")
      .then(({ takePicture }) => takePicture(element, title, format))
      .then(
        (blob) => saveBlob(blob, `${name}.${format}`),
        (error: unknown) => setProblem(sentenceOf(error)),
      );
  };
  return (
    <>
      {FORMATS.map((format) => (
        <button
          key={format}
          type="button"
          className="inline download"
          onClick={() => save(format)}
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
