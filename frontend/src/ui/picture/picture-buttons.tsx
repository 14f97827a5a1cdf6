import { type RefObject, useRef, useState } from "react";
import { sentenceOf } from "../../api/client.ts";
import { Dialog } from "../dialog.tsx";
import { saveBlob } from "../downloads.tsx";
import { Button } from "../fields.tsx";
import { Problem } from "../section-parts.tsx";
import "./picture.css";

interface Props {
  readonly name: string;
  /** Description of the picture for screen readers. */
  readonly title: string;
}

/** Saves the surrounding view, the next `data-picture`, as a picture. */
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
  readonly of: RefObject<HTMLElement | null>;
  readonly title: string;
  /** Name of the file without its suffix. */
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
        <Button
          key={format}
          className="inline download"
          onClick={() => save(part(), title, name, format)}
          title={titleOf(format)}
        >
          {format.toUpperCase()}
        </Button>
      ))}
      {problem !== null && (
        <span className="problem" role="alert">
          {problem}
        </span>
      )}
    </>
  );
}

interface PictureDialogProps {
  readonly title: string;
  readonly onClose: () => void;
}

const PARTS = [
  ["timeline", "The timeline", ".timeline"],
  ["drawer", "The drawer: its table or charts", ".drawer.open"],
  ["whole", "Both, and the inspector", "main.analysis"],
] as const;

/** Saves what is on the screen as a picture, for a ticket or a paper. */
export function PictureDialog({ title, onClose }: PictureDialogProps) {
  const { problem, save } = usePicture();
  return (
    <Dialog title="Save a picture" onClose={onClose} className="picture-dialog">
      <p className="muted">
        As on the screen, in its colours. In an SVG, text and rules are shapes, and the lanes are an image.
      </p>
      <table className="grid-table">
        <tbody>
          {PARTS.map(([name, words, selector]) => {
            const element = document.querySelector<HTMLElement>(selector);
            return (
              <tr key={name}>
                <th scope="row">{words}</th>
                {PICTURE_FORMATS.map((format) => (
                  <td key={format}>
                    <Button
                      disabled={element === null}
                      aria-label={`${words} as ${format.toUpperCase()}`}
                      onClick={() => save(element, title, name, format)}
                    >
                      {format.toUpperCase()}
                    </Button>
                  </td>
                ))}
              </tr>
            );
          })}
        </tbody>
      </table>
      <Problem sentence={problem} />
    </Dialog>
  );
}

export const PICTURE_FORMATS = ["png", "svg"] as const;
export type PictureFormat = (typeof PICTURE_FORMATS)[number];

export interface Picturing {
  readonly problem: string | null;
  /** Saves a part of the page, where it is there. @param name of the file, without its suffix */
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
