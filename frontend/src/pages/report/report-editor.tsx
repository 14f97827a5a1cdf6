/** The editor of reports: Markdown as text. As that of queries, its styles live in a shadow root. */

import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { defineLanguageFacet, Language, syntaxHighlighting } from "@codemirror/language";
import { type Extension, Prec } from "@codemirror/state";
import { EditorView, keymap } from "@codemirror/view";
import { parser, Table } from "@lezer/markdown";
import { useRef } from "react";
import { COLOURS, heldText, LOOK, typeOver, useEditor } from "../../ui/use-editor.ts";
import { blockText, parseAddress } from "./blocks/report-block.ts";

interface Props {
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly onSave: () => void;
}

/** As the service keeps them. */
const MOST_TEXT = 200_000;

const MARKDOWN = new Language(defineLanguageFacet(), parser.configure(Table), [], "markdown");

export default function ReportEditor({ text, onText, onSave }: Props) {
  // The editor is made once; what it calls is what was given last.
  const calls = useRef({ onText, onSave });
  calls.current = { onText, onSave };
  // A text from elsewhere is an earlier revision, or another user's.
  const { place } = useEditor(text, () => basics(calls));

  return <div className="report-editor" ref={place} data-testid="report-editor" />;
}

/** Tab is left alone, so that it leads out of the editor. */
function basics(calls: { readonly current: Pick<Props, "onText" | "onSave"> }): Extension[] {
  const save = () => {
    calls.current.onSave();
    return true;
  };
  const leave = (view: EditorView) => {
    view.contentDOM.blur();
    return true;
  };
  return [
    Prec.highest(keymap.of([{ key: "Mod-s", run: save }])),
    keymap.of([{ key: "Escape", run: leave }, ...historyKeymap, ...defaultKeymap]),
    history(),
    MARKDOWN,
    EditorView.lineWrapping,
    heldText(MOST_TEXT, (text) => calls.current.onText(text)),
    EditorView.domEventHandlers({ beforeinput: typeOver, paste: pasteView }),
    // The keyboard reaches it, and scrolls by it what is around it: said for those who only read attributes.
    EditorView.contentAttributes.of({
      "aria-label": "Text of the report, Markdown",
      spellcheck: "true",
      tabindex: "0",
    }),
    LOOK,
    syntaxHighlighting(COLOURS),
  ];
}

/** The address of a view, pasted on a line of its own, becomes that view. */
function pasteView(event: ClipboardEvent, view: EditorView): boolean {
  const { state } = view;
  const line = state.doc.lineAt(state.selection.main.head);
  const pasted = event.clipboardData?.getData("text/plain").trim() ?? "";
  const address = parseAddress(pasted);
  if (line.text.trim() !== "" || !address || !pasted.startsWith(`${location.origin}/a/`)) return false;
  event.preventDefault();
  const insert = blockText("timeline", address.id, address.query);
  view.dispatch(state.update(state.replaceSelection(insert), { userEvent: "input.paste" }));
  return true;
}
