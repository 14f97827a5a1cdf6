/** An editor of code in a shadow root, made once, whose text may also come from elsewhere. */

import { HighlightStyle } from "@codemirror/language";
import { EditorState, type Extension } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { type RefObject, useEffect, useRef } from "react";

export interface Editor {
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

/** Passes on every text of an editor, not longer than `most` characters. */
export function heldText(most: number, answer: (text: string) => void): Extension[] {
  return [
    EditorState.changeFilter.of((change) => change.newDoc.length <= most),
    EditorView.updateListener.of((update) => {
      if (update.docChanged) answer(update.state.doc.toString());
    }),
  ];
}

// What the page's editors have in common: their look, of the page's own tokens, and one manner of typing.

export const LOOK = EditorView.theme({
  "&": { height: "100%", color: "var(--text)", backgroundColor: "var(--raised)", fontSize: "var(--text-l)" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.45", overflow: "auto" },
  ".cm-content": { caretColor: "var(--text)", padding: "var(--space-6) 0" },
  ".cm-line": { padding: "0 var(--space-10)" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  ".cm-placeholder": { color: "var(--muted)" },
  "& .cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground": {
    backgroundColor: "color-mix(in oklab, var(--accent) 26%, transparent)",
  },
  "&.cm-focused .cm-matchingBracket": {
    backgroundColor: "color-mix(in oklab, var(--accent) 22%, transparent)",
  },
  ".cm-tooltip": {
    border: "1px solid var(--line-strong)",
    borderRadius: "var(--radius)",
    color: "var(--text)",
    backgroundColor: "var(--raised)",
    boxShadow: "var(--shadow)",
  },
  ".cm-tooltip.cm-tooltip-autocomplete > ul": { fontFamily: "var(--mono)", maxHeight: "220px" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li": { padding: "var(--space-1) var(--space-8)" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]": {
    color: "var(--on-accent)",
    backgroundColor: "var(--accent)",
  },
  ".cm-completionDetail": { color: "var(--muted)", fontStyle: "normal" },
  "li[aria-selected] .cm-completionDetail": { color: "inherit" },
  ".cm-completionMatchedText": { fontWeight: "700", textDecoration: "none" },
  ".cm-completionInfo": {
    maxWidth: "420px",
    padding: "var(--space-6) var(--space-10)",
    fontFamily: "var(--sans)",
  },
});

export const COLOURS = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword, tags.modifier], color: "var(--accent)", fontWeight: "600" },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--warn)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--warn)" },
  { tag: [tags.comment, tags.lineComment, tags.blockComment], color: "var(--muted)", fontStyle: "italic" },
  { tag: [tags.typeName, tags.standard(tags.name)], color: "var(--accent)" },
  { tag: [tags.heading, tags.strong], fontWeight: "700" },
  { tag: tags.emphasis, fontStyle: "italic" },
  { tag: [tags.link, tags.url, tags.monospace, tags.labelName], color: "var(--accent)" },
  { tag: [tags.quote, tags.processingInstruction, tags.contentSeparator], color: "var(--muted)" },
]);

/**
 * Typing over a selection is done here: browsers would bring the style of the coloured words along as an attribute, which the
 * content security policy refuses, loudly.
 */
export function typeOver(event: InputEvent, view: EditorView): boolean {
  const { state } = view;
  if (event.inputType !== "insertText" || event.data === null) return false;
  if (view.composing || state.selection.main.empty) return false;
  event.preventDefault();
  view.dispatch(
    state.update(state.replaceSelection(event.data), { userEvent: "input.type", scrollIntoView: true }),
  );
  return true;
}
