import { useRef, useState } from "react";
import { sentenceOf } from "../data/api.ts";
import { saveBlob } from "./downloads.tsx";

interface Props {
  /** Name of the file. */
  readonly name: string;
  /** What the picture shows, for who does not see it. */
  readonly title: string;
}

const FORMATS = ["png", "svg"] as const;

/** Saves the view that it stands in, the next `data-picture` around it, as a picture. */
export function PictureButtons({ name, title }: Props) {
  const here = useRef<HTMLSpanElement>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const save = (format: (typeof FORMATS)[number]) => {
    const view = here.current?.closest<HTMLElement>("[data-picture]");
    if (!view) return;
    setProblem(null);
    import("../view/picture.ts")
      .then(({ takePicture }) => takePicture(view, title, format))
      .then(
        (blob) => saveBlob(blob, `${name}.${format}`),
        (error: unknown) => setProblem(sentenceOf(error)),
      );
  };
  return (
    <span className="picture-tools" ref={here}>
      {FORMATS.map((format) => (
        <button
          key={format}
          type="button"
          className="inline download"
          onClick={() => save(format)}
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
