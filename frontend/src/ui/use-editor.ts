/** An editor of code in a shadow root, made once, whose text may also come from elsewhere. */

import { EditorState, type Extension } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { type RefObject, useEffect, useRef } from "react";

export interface Editor {
  /** The element that it lives in. */
  readonly place: RefObject<HTMLDivElement | null>;
  /** null until it is there. */
  readonly view: RefObject<EditorView | null>;
}

/** @param extensions of an editor that is made; what they call must be looked up when it is called */
export function useEditor(text: string, extensions: () => Extension[]): Editor {
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const first = useRef({ text, extensions });

  useEffect(() => {
    const host = place.current;
    if (!host) return undefined;
    const root = host.shadowRoot ?? host.attachShadow({ mode: "open" });
    const { text: doc, extensions: make } = first.current;
    const made = new EditorView({
      root,
      parent: root,
      state: EditorState.create({ doc, extensions: make() }),
    });
    view.current = made;
    return () => {
      made.destroy();
      view.current = null;
    };
  }, []);

  useEffect(() => {
    const made = view.current;
    if (!made || made.state.doc.toString() === text) return;
    made.dispatch({ changes: { from: 0, to: made.state.doc.length, insert: text } });
  }, [text]);

  return { place, view };
}

/** Tells every text of an editor, not longer than `most` characters. */
export function heldText(most: number, answer: (text: string) => void): Extension[] {
  return [
    EditorState.changeFilter.of((change) => change.newDoc.length <= most),
    EditorView.updateListener.of((update) => {
      if (update.docChanged) answer(update.state.doc.toString());
    }),
  ];
}
