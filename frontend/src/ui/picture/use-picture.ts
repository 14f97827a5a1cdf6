import { useState } from "react";
import { sentenceOf } from "../../api/errors.ts";
import { saveBlob } from "../downloads.tsx";
import "./picture.css";

export const PICTURE_FORMATS = ["png", "svg"] as const;
export type PictureFormat = (typeof PICTURE_FORMATS)[number];

export interface Picturing {
  readonly problem: string | null;
  /** Saves a part of the page, where it is there. @param name of the file, without what tells the format */
  readonly save: (
    element: HTMLElement | null | undefined,
    title: string,
    name: string,
    format: PictureFormat,
  ) => void;
}

export function usePicture(): Picturing {
  const [problem, setProblem] = useState<string | null>(null);
  const save: Picturing["save"] = (element, title, name, format) => {
    if (!element) return;
    setProblem(null);
    import("./compose-picture.ts")
      .then(({ takePicture }) => takePicture(element, title, format))
      .then(
        (blob) => saveBlob(blob, `${name}.${format}`),
        (error: unknown) => setProblem(sentenceOf(error)),
      );
  };
  return { problem, save };
}
