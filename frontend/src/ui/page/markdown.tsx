import type { Code, List, Nodes, Root, Table } from "mdast";
import { fromMarkdown } from "mdast-util-from-markdown";
import { gfmTableFromMarkdown } from "mdast-util-gfm-table";
import { gfmTable } from "micromark-extension-gfm-table";
import { Fragment, type ReactElement, type ReactNode } from "react";
import { plainName } from "../../lib/plain-names.ts";
import { Link } from "./link.tsx";

/** Markdown as elements: CommonMark with tables, without HTML, and with links that lead where they may. */

export interface RenderOptions {
  /** Level of the highest heading. */
  readonly level: 2 | 3;
  /** Element for a block of code, with a key; null leaves it as it is. */
  readonly code?: (node: Code) => ReactElement | null;
}

export function renderMarkdown(root: Root, options: RenderOptions): ReactNode[] {
  const definitions = new Map<string, string>();
  for (const node of root.children)
    if (node.type === "definition") definitions.set(node.identifier, node.url);
  return all(root.children, { ...options, definitions });
}

interface Rendering extends RenderOptions {
  readonly definitions: ReadonlyMap<string, string>;
}

function all(nodes: readonly Nodes[], known: Rendering): ReactNode[] {
  return nodes.map((node, place) => {
    const own = node.type === "code" && known.code?.(node);
    // biome-ignore lint/suspicious/noArrayIndexKey: words have no other name than their place
    return own || <Fragment key={place}>{one(node, known)}</Fragment>;
  });
}

function one(node: Nodes, known: Rendering): ReactNode {
  switch (node.type) {
    case "text":
      return node.value;
    case "paragraph":
      return <p>{all(node.children, known)}</p>;
    case "heading": {
      // The title above the text is a heading, too.
      const Level = `h${Math.max(known.level, node.depth)}` as "h2";
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
        <pre className="text-code" tabIndex={0}>
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
    // A picture from elsewhere would show that site who reads the report.
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

function list(node: List, known: Rendering): ReactNode {
  // In a tight list the words are in the item itself.
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

function table(node: Table, known: Rendering): ReactNode {
  const [head, ...rows] = node.children;
  const look = (column: number) => (node.align?.[column] === "right" ? "right" : "");
  return (
    <table className="grid-table text-table">
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

export function parseMarkdown(text: string): Root {
  return fromMarkdown(text, {
    // Tags are there as they were written.
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
