/**
 * The editor of queries. Its styles live in a shadow root: there they are adopted sheets, which the content security policy
 * allows, and not elements, which it does not. Colours are the page's own tokens, which reach into it.
 */

import {
  acceptCompletion,
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
  closeCompletion,
  completionKeymap,
  completionStatus,
} from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { SQLDialect, SQLite, schemaCompletionSource, sql } from "@codemirror/lang-sql";
import { bracketMatching, HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { Compartment, EditorState, type Extension, Prec } from "@codemirror/state";
import { EditorView, keymap, placeholder } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { useEffect, useRef } from "react";
import type { SqlSchema } from "../data/types.ts";
import {
  functionOffers,
  includeFor,
  moduleAt,
  moduleOffers,
  type Offer,
  tableOffers,
} from "../logic/sql-completion.ts";
import { MOST_SQL } from "../logic/sql-query.ts";

interface Props {
  readonly text: string;
  readonly schema: SqlSchema | null;
  readonly onText: (text: string) => void;
  readonly onRun: (text: string) => void;
}

/** As SQLite, with what PerfettoSQL has besides. */
const PERFETTO = SQLDialect.define({
  ...SQLite.spec,
  keywords: `${SQLite.spec.keywords ?? ""} include perfetto module macro function returns span_join`,
});

const LOOK = EditorView.theme({
  "&": { height: "100%", color: "var(--text)", backgroundColor: "var(--raised)", fontSize: "12.5px" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.45", overflow: "auto" },
  ".cm-content": { caretColor: "var(--text)", padding: "6px 0" },
  ".cm-line": { padding: "0 10px" },
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
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li": { padding: "1px 8px" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]": {
    color: "var(--on-accent)",
    backgroundColor: "var(--accent)",
  },
  ".cm-completionDetail": { color: "var(--muted)", fontStyle: "normal" },
  "li[aria-selected] .cm-completionDetail": { color: "inherit" },
  ".cm-completionMatchedText": { fontWeight: "700", textDecoration: "none" },
  ".cm-completionInfo": { maxWidth: "420px", padding: "6px 10px", fontFamily: "var(--sans)" },
});

const COLOURS = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword, tags.modifier], color: "var(--accent)", fontWeight: "600" },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--warn)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--warn)" },
  { tag: [tags.comment, tags.lineComment, tags.blockComment], color: "var(--muted)", fontStyle: "italic" },
  { tag: [tags.typeName, tags.standard(tags.name)], color: "var(--accent)" },
]);

export default function SqlEditor({ text, schema, onText, onRun }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const offers = useRef(new Compartment());
  // The editor is made once; what it calls is what was given last.
  const calls = useRef({ onText, onRun });
  calls.current = { onText, onRun };
  const first = useRef(text);

  useEffect(() => {
    const host = place.current;
    if (!host) return undefined;
    const root = host.shadowRoot ?? host.attachShadow({ mode: "open" });
    const made = new EditorView({
      root,
      parent: root,
      state: EditorState.create({
        doc: first.current,
        extensions: [...basics(calls), offers.current.of(language(null))],
      }),
    });
    view.current = made;
    return () => {
      made.destroy();
      view.current = null;
    };
  }, []);

  useEffect(() => {
    view.current?.dispatch({ effects: offers.current.reconfigure(language(schema)) });
  }, [schema]);

  // A text from elsewhere: an example, the history, the address.
  useEffect(() => {
    const made = view.current;
    if (!made || made.state.doc.toString() === text) return;
    made.dispatch({ changes: { from: 0, to: made.state.doc.length, insert: text } });
  }, [text]);

  return <div className="sql-editor" ref={place} data-testid="sql-editor" />;
}

/** Everything but the language; Tab is left alone, so that it leads out of the editor. */
function basics(calls: { readonly current: Pick<Props, "onText" | "onRun"> }): Extension[] {
  const run = (view: EditorView) => {
    // Over the rows that come it would be in the way.
    closeCompletion(view);
    calls.current.onRun(view.state.doc.toString());
    return true;
  };
  // Escape closes the list; without one it lets the editor go, as a field of the page does.
  const leave = (view: EditorView) => {
    if (completionStatus(view.state) !== null) return false;
    view.contentDOM.blur();
    return true;
  };
  return [
    Prec.highest(keymap.of([{ key: "Mod-Enter", run }])),
    keymap.of([
      ...completionKeymap,
      { key: "Tab", run: acceptCompletion },
      { key: "Escape", run: leave },
      ...historyKeymap,
      ...defaultKeymap,
    ]),
    history(),
    bracketMatching(),
    autocompletion({ icons: false, defaultKeymap: false }),
    EditorView.lineWrapping,
    EditorState.changeFilter.of((change) => change.newDoc.length <= MOST_SQL),
    EditorView.updateListener.of((update) => {
      if (update.docChanged) calls.current.onText(update.state.doc.toString());
    }),
    EditorView.domEventHandlers({ beforeinput: typeOver }),
    EditorView.contentAttributes.of({
      "aria-label": "SQL query",
      spellcheck: "false",
      autocapitalize: "off",
    }),
    placeholder("SELECT ts, dur, name FROM slice LIMIT 100"),
    LOOK,
    syntaxHighlighting(COLOURS),
  ];
}

/**
 * Typing over a selection is done here: browsers would bring the style of the coloured words along as an attribute, which the
 * content security policy refuses, loudly.
 */
function typeOver(event: InputEvent, view: EditorView): boolean {
  const { state } = view;
  if (event.inputType !== "insertText" || event.data === null) return false;
  if (view.composing || state.selection.main.empty) return false;
  event.preventDefault();
  view.dispatch(
    state.update(state.replaceSelection(event.data), { userEvent: "input.type", scrollIntoView: true }),
  );
  return true;
}

function language(schema: SqlSchema | null): Extension {
  const plain = sql({ dialect: PERFETTO, upperCaseKeywords: true });
  if (!schema) return plain;
  const tables = tableOffers(schema);
  const modules = moduleOffers(schema).map(completionOf);
  const functions = functionOffers(schema).map(completionOf);
  const known = Object.fromEntries(
    tables.map((offer) => [
      offer.label,
      {
        self: completionOf(offer),
        children: offer.columns.map(
          ({ name, type }): Completion => ({ label: name, type: "property", detail: type }),
        ),
      },
    ]),
  );
  const named = schemaCompletionSource({ dialect: PERFETTO, schema: known });
  const source = (context: CompletionContext) => {
    const line = context.state.doc.lineAt(context.pos);
    const at = moduleAt(line.text.slice(0, context.pos - line.from));
    if (at) return { from: line.from + at.from, options: modules, validFor: /^[\w.]*$/ };
    return named(context);
  };
  const words = (context: CompletionContext): CompletionResult | null => {
    const word = context.matchBefore(/\w+/);
    return word ? { from: word.from, options: functions, validFor: /^\w*$/ } : null;
  };
  const data = PERFETTO.language.data;
  return [plain, data.of({ autocomplete: source }), data.of({ autocomplete: words })];
}

/** A view of a module comes with the line that includes it. */
function completionOf({ label, type, detail, info, module }: Offer): Completion {
  return {
    label,
    type: type === "function" ? "function" : type === "module" ? "namespace" : "type",
    detail,
    boost: type === "ours" ? 2 : 0,
    ...(info === null ? {} : { info }),
    ...(module === null ? {} : { apply: withInclude(module) }),
  };
}

function withInclude(module: string) {
  return (view: EditorView, { label }: Completion, from: number, to: number) => {
    const head = includeFor(view.state.doc.toString(), module);
    view.dispatch({
      changes: [...(head === "" ? [] : [{ from: 0, insert: head }]), { from, to, insert: label }],
      selection: { anchor: from + head.length + label.length },
      userEvent: "input.complete",
    });
  };
}
