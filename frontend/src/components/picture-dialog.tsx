import { useState } from "react";
import { sentenceOf } from "../data/api.ts";
import { Dialog } from "./dialog.tsx";
import { saveBlob } from "./downloads.tsx";

interface Props {
  readonly title: string;
  readonly onClose: () => void;
}

const PARTS = [
  ["timeline", "The timeline", ".timeline"],
  ["drawer", "The drawer: its table or charts", ".drawer.open"],
  ["whole", "Both, and the inspector", "main.analysis"],
] as const;
const FORMATS = ["png", "svg"] as const;

/** Saves what is on the screen as a picture, for a ticket or a paper. */
export function PictureDialog({ title, onClose }: Props) {
  const [problem, setProblem] = useState<string | null>(null);
  const save = (part: (typeof PARTS)[number], format: (typeof FORMATS)[number]) => {
    const [name, , selector] = part;
    const element = document.querySelector<HTMLElement>(selector);
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
    <Dialog title="Save a picture" onClose={onClose} className="picture-dialog">
      <p className="muted">
        As it is on the screen, in its colours. In an SVG all text and rules are shapes, the lanes are an
        image.
      </p>
      <table className="grid-table">
        <tbody>
          {PARTS.map((part) => {
            const there = document.querySelector(part[2]) !== null;
            return (
              <tr key={part[0]}>
                <th scope="row">{part[1]}</th>
                {FORMATS.map((format) => (
                  <td key={format}>
                    <button
                      type="button"
                      disabled={!there}
                      aria-label={`${part[1]} as ${format.toUpperCase()}`}
                      onClick={() => save(part, format)}
                    >
                      {format.toUpperCase()}
                    </button>
                  </td>
                ))}
              </tr>
            );
          })}
        </tbody>
      </table>
      {problem !== null && (
        <p className="problem" role="alert">
          {problem}
        </p>
      )}
    </Dialog>
  );
}
