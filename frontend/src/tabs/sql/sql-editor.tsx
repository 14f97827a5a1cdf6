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
import { bracketMatching, syntaxHighlighting } from "@codemirror/language";
import { Compartment, type Extension, Prec } from "@codemirror/state";
import { EditorView, keymap, placeholder } from "@codemirror/view";
import { useEffect, useRef } from "react";
import type { SqlSchema, SqlTableInfo } from "../../api/types.ts";
import { COLOURS, heldText, LOOK, typeOver, useEditor } from "../../ui/use-editor.ts";
import { MOST_SQL } from "../../view-state/tab-views.ts";

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

export default function SqlEditor({ text, schema, onText, onRun }: Props) {
  const offers = useRef(new Compartment());
  // The editor is made once; what it calls is what was given last.
  const calls = useRef({ onText, onRun });
  calls.current = { onText, onRun };
  // A text from elsewhere is an example, or that of the history or the address.
  const { place, view } = useEditor(text, () => [...basics(calls), offers.current.of(language(null))]);

  useEffect(() => {
    view.current?.dispatch({ effects: offers.current.reconfigure(language(schema)) });
  }, [view, schema]);

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
    heldText(MOST_SQL, (text) => calls.current.onText(text)),
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

// What the editor offers while a query is typed: tables with their columns, our views, functions, and modules.

export interface Offer {
  readonly label: string;
  readonly type: "table" | "view" | "ours" | "function" | "module";
  readonly detail: string;
  /** In full, when it is looked at. */
  readonly info: string | null;
  /** Module to include for it; null if it always exists. */
  readonly module: string | null;
  readonly columns: readonly { readonly name: string; readonly type: string }[];
}

const TYPES: Readonly<Record<SqlTableInfo["kind"], string>> = {
  table: "table",
  view: "view",
  ours: "NumaLens",
};

/** Tables and views by name, for use after FROM. */
export function tableOffers({ tables }: SqlSchema): readonly Offer[] {
  return tables.map(({ name, kind, description, module, columns }) => ({
    label: name,
    type: kind,
    detail: module ?? TYPES[kind],
    info: description,
    module,
    columns,
  }));
}

export function functionOffers({ functions }: SqlSchema): readonly Offer[] {
  return functions.map((label) => ({
    label,
    type: "function",
    detail: "function",
    info: null,
    module: null,
    columns: [],
  }));
}

/** Ours, and those that tables name. */
export function moduleOffers({ modules, tables }: SqlSchema): readonly Offer[] {
  const section = new Map<string, string>(
    tables.flatMap(({ module }) => (module === null ? [] : [[module, ""]])),
  );
  for (const { name, description } of modules) section.set(name, description);
  return [...section].map(([label, description]) => ({
    label,
    type: "module",
    detail: "module",
    info: description === "" ? null : description,
    module: null,
    columns: [],
  }));
}

/** Returns whether the text before the cursor requests a module's name, and its start. */
export function moduleAt(before: string): { readonly from: number } | null {
  const match = /\binclude\s+perfetto\s+module\s+([\w.*]*)$/i.exec(before);
  return match ? { from: before.length - (match[1]?.length ?? 0) } : null;
}

/** The line that a query needs at its head for a view of a module; empty when it has it. */
export function includeFor(sql: string, module: string | null): string {
  if (module === null) return "";
  const name = module.replaceAll(".", "\\.");
  const has = new RegExp(`\\binclude\\s+perfetto\\s+module\\s+${name}\\s*(;|$)`, "i");
  return has.test(sql) ? "" : `INCLUDE PERFETTO MODULE ${module};\n`;
}
