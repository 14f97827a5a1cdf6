import { Dialog } from "../dialog.tsx";
import { Problem } from "../section-parts.tsx";
import { PICTURE_FORMATS, usePicture } from "./use-picture.ts";

interface Props {
  readonly title: string;
  readonly onClose: () => void;
}

const PARTS = [
  ["timeline", "The timeline", ".timeline"],
  ["drawer", "The drawer: its table or charts", ".drawer.open"],
  ["whole", "Both, and the inspector", "main.analysis"],
] as const;

/** Saves what is on the screen as a picture, for a ticket or a paper. */
export function PictureDialog({ title, onClose }: Props) {
  const { problem, save } = usePicture();
  return (
    <Dialog title="Save a picture" onClose={onClose} className="picture-dialog">
      <p className="muted">
        As it is on the screen, in its colours. In an SVG all text and rules are shapes, the lanes are an
        image.
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
                    <button
                      type="button"
                      disabled={element === null}
                      aria-label={`${words} as ${format.toUpperCase()}`}
                      onClick={() => save(element, title, name, format)}
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
      <Problem sentence={problem} />
    </Dialog>
  );
}
