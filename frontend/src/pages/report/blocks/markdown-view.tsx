import type { List, Nodes, Root, Table } from "mdast";
import { fromMarkdown } from "mdast-util-from-markdown";
import { gfmTableFromMarkdown } from "mdast-util-gfm-table";
import { gfmTable } from "micromark-extension-gfm-table";
import { Fragment, memo, type ReactNode, use, useEffect, useRef, useState } from "react";
import { plainName } from "../../../lib/plain-names.ts";
import { Link } from "../../../ui/page/link.tsx";
import { Absent, LiveNumbers } from "./numbers-block.tsx";
import { FENCE_NAME, type ParsedBlock, parseBlock } from "./report-block.ts";
import { type PrintQueue, ReportContext } from "./report-world.ts";
import { LiveTimeline } from "./timeline-block.tsx";

/** Markdown as elements; text is only ever text, and fenced `numalens` blocks are views. */
export const Markdown = memo(function Markdown({ text }: { readonly text: string }) {
  const root = parseMarkdown(text);
  const definitions = new Map<string, string>();
  for (const node of root.children)
    if (node.type === "definition") definitions.set(node.identifier, node.url);
  return <>{all(root.children, { definitions, views: [] })}</>;
});

interface Resolved {
  readonly definitions: ReadonlyMap<string, string>;
  /** Those that came already. */
  readonly views: string[];
}

function all(nodes: readonly Nodes[], known: Resolved): ReactNode[] {
  return nodes.map((node, place) => {
    if (node.type === "code" && node.lang === FENCE_NAME) {
      const name = `${node.meta ?? ""} ${node.value}`;
      known.views.push(name);
      // One that moves in the text stays the same view.
      const time = known.views.filter((each) => each === name).length;
      const parsed = parseBlock(node.meta ?? "", node.value);
      return <LiveView key={`view ${name} ${time}`} parsed={parsed} number={known.views.length} />;
    }
    // biome-ignore lint/suspicious/noArrayIndexKey: words have no other name than their place
    return <Fragment key={place}>{one(node, known)}</Fragment>;
  });
}

function one(node: Nodes, known: Resolved): ReactNode {
  switch (node.type) {
    case "text":
      return node.value;
    case "paragraph":
      return <p>{all(node.children, known)}</p>;
    case "heading": {
      // The report's own title is the one heading of the first level.
      const Level = `h${Math.max(2, node.depth)}` as "h2";
      return <Level>{all(node.children, known)}</Level>;
    }
    case "emphasis":
      return <em>{all(node.children, known)}</em>;
    case "strong":
      return <strong>{all(node.children, known)}</strong>;
    case "inlineCode":
      return <code>{node.value}</code>;
    case "code":
      return (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: long lines are scrolled by the keyboard, too
        <pre className="report-code" tabIndex={0}>
          {node.value}
        </pre>
      );
    case "blockquote":
      return <blockquote>{all(node.children, known)}</blockquote>;
    case "list":
      return list(node, known);
    case "listItem":
      return <li>{all(node.children, known)}</li>;
    case "thematicBreak":
      return <hr />;
    case "break":
      return <br />;
    case "link":
      return link(node.url, all(node.children, known));
    case "linkReference":
      return link(known.definitions.get(node.identifier) ?? "", all(node.children, known));
    // A picture from elsewhere would tell that site who reads the report.
    case "image":
      return `${plainName(node.alt ?? "")} (picture not shown: ${plainName(node.url)})`;
    case "imageReference":
      return plainName(node.alt ?? "");
    case "table":
      return table(node, known);
    case "html":
      return node.value;
    default:
      return null;
  }
}

function link(url: string, words: ReactNode): ReactNode {
  const safe = safeLink(url);
  if (!safe) return words;
  if (!safe.outside) return <Link to={safe.href}>{words}</Link>;
  return (
    <a href={safe.href} target="_blank" rel="noopener noreferrer">
      {words}
    </a>
  );
}

function list(node: List, known: Resolved): ReactNode {
  // In a tight list the words stand in the item itself.
  const items = node.children.map((item, place) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: items have no other name than their place
    <li key={place}>
      {item.children.map((child, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: as above
        <Fragment key={i}>
          {child.type === "paragraph" && !node.spread ? all(child.children, known) : all([child], known)}
        </Fragment>
      ))}
    </li>
  ));
  return node.ordered ? <ol start={node.start ?? 1}>{items}</ol> : <ul>{items}</ul>;
}

function table(node: Table, known: Resolved): ReactNode {
  const [head, ...rows] = node.children;
  const look = (column: number) => (node.align?.[column] === "right" ? "right" : "");
  return (
    <table className="grid-table report-table">
      <thead>
        <tr>
          {head?.children.map((cell, column) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: columns never change places
            <th key={column} scope="col" className={look(column)}>
              {all(cell.children, known)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: rows have no other name than their place
          <tr key={place}>
            {row.children.map((cell, column) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: columns never change places
              <td key={column} className={look(column)}>
                {all(cell.children, known)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

// The Markdown of reports as a tree: CommonMark with tables, without HTML, and with links that lead where they may.

export function parseMarkdown(text: string): Root {
  return fromMarkdown(text, {
    // Tags stand there as they were written.
    extensions: [{ disable: { null: ["htmlFlow", "htmlText"] } }, gfmTable()],
    mdastExtensions: [gfmTableFromMarkdown()],
  });
}

export interface SafeLink {
  readonly href: string;
  /** Leads to another site. */
  readonly outside: boolean;
}

/** null for what leads to neither a page of this server by its path, nor to the web. */
export function safeLink(url: string): SafeLink | null {
  // Browsers drop line ends and tabs out of addresses, and take `\` for `/`.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  if (/[\u0000-\u0020\u007f\\]/.test(url)) return null;
  if (/^\/(?!\/)/.test(url)) return { href: url, outside: false };
  if (!/^https?:\/\//i.test(url)) return null;
  try {
    return { href: new URL(url).href, outside: true };
  } catch {
    return null;
  }
}

interface Props {
  readonly parsed: ParsedBlock;
  /** Its place among the views of the report, from 1. */
  readonly number: number;
}

/** Next to the editor, the report scrolls in a box of its own. */
const NEAR = { rootMargin: "900px 0px", scrollMargin: "900px 0px" };

/** A view in a report: drawn when it comes near the screen, or when it is to be printed. */
export function LiveView({ parsed, number }: Props) {
  const frame = use(ReportContext);
  const figure = useRef<HTMLElement>(null);
  const [near, setNear] = useState(false);
  /** For what it was drawn: null is the screen. */
  const [drawnFor, setDrawnFor] = useState<PrintQueue | null | undefined>(undefined);
  useEffect(() => {
    const element = figure.current;
    if (!element) return undefined;
    const observer = new IntersectionObserver(
      (entries) => {
        // A busy page is given several at once: the last is how it is.
        const here = entries.at(-1)?.isIntersecting ?? false;
        // What is drawn again later has its place kept, so that nothing jumps under the reader.
        if (!here && element.dataset["drawn"] === "true")
          element.style.minHeight = `${element.offsetHeight}px`;
        setNear((before) => here || (before && element.dataset["light"] === "true"));
      },
      // What is near is drawn before the reader is there; what is far gives its canvases back.
      NEAR,
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const queue = frame?.queue ?? null;
  useEffect(() => {
    // On paper it is as high as what is in it.
    if (queue) figure.current?.style.removeProperty("min-height");
  }, [queue]);
  if (!frame || !parsed.ok) {
    return (
      <figure className="live-view" ref={figure} data-drawn="true" data-testid="live-view">
        <Absent>{parsed.ok ? "Here would be a view." : parsed.sentence}</Absent>
      </figure>
    );
  }
  const { block } = parsed;
  const shown = near || queue !== null;
  const name = `View ${number}`;
  const props = { block, frame, name, onDrawn: () => setDrawnFor(queue) };
  return (
    <figure
      className={`live-view live-${block.kind}`}
      ref={figure}
      data-drawn={drawnFor === queue}
      // Words and numbers stay once they are there: they take nothing.
      data-light={block.kind !== "timeline"}
      data-testid="live-view"
      aria-label={block.caption === "" ? name : plainName(block.caption)}
    >
      {!shown ? (
        <div className="live-empty" />
      ) : block.kind === "timeline" ? (
        <LiveTimeline key={queue ? "paper" : "screen"} {...props} />
      ) : (
        <LiveNumbers {...props} />
      )}
      {block.caption !== "" && <p className="live-caption">{block.caption}</p>}
      {queue && <p className="live-address">{`/a/${block.id}?${block.query}`}</p>}
    </figure>
  );
}
