/** Moments that the reader has marked: named, in ascending time, part of the link. */

import { type AbsNs, parseNs } from "../lib/time.ts";

export interface Mark {
  readonly at: AbsNs;
  readonly name: string;
}

/** A link that is too long is cut by chats. */
export const MOST_MARKS = 24;
const MOST_NAME = 40;

/** Separator between the marks of a link; a name must not contain it. */
const BETWEEN = "~";

/** A name on one line, short, without what a link needs for itself; empty when nothing is left. */
export function cleanMarkName(text: string): string {
  return [
    ...text
      .replace(/[\p{C}~]/gu, " ")
      .replace(/\s+/g, " ")
      .trim(),
  ]
    .slice(0, MOST_NAME)
    .join("")
    .trim();
}

/** With a mark at a moment; a moment that has one keeps it. The name is the first `mark n` that is free. */
export function addMark(marks: readonly Mark[], at: AbsNs): readonly Mark[] {
  if (marks.length >= MOST_MARKS || marks.some((mark) => mark.at === at)) return marks;
  const taken = new Set(marks.map(({ name }) => name));
  let number = 1;
  while (taken.has(`mark ${number}`)) number += 1;
  return inOrder([...marks, { at, name: `mark ${number}` }]);
}

/** An empty name leaves the old one. */
export function renameMark(marks: readonly Mark[], at: AbsNs, name: string): readonly Mark[] {
  const clean = cleanMarkName(name);
  return clean === "" ? marks : marks.map((mark) => (mark.at === at ? { at, name: clean } : mark));
}

export function removeMark(marks: readonly Mark[], at: AbsNs): readonly Mark[] {
  return marks.filter((mark) => mark.at !== at);
}

/** `23480000000:first stall~23520000000:mark 2`, escaped twice: a name may have whatever a person types. */
export function encodeMarks(marks: readonly Mark[]): string {
  return marks.map(({ at, name }) => `${at}:${encodeURIComponent(encodeURIComponent(name))}`).join(BETWEEN);
}

/** Invalid marks are left out, so that a hand-typed link still opens. */
export function parseMarks(text: string | undefined): readonly Mark[] {
  const marks: Mark[] = [];
  for (const part of (text ?? "").split(BETWEEN)) {
    const colon = part.indexOf(":");
    const at = colon < 0 ? null : parseNs(part.slice(0, colon));
    const name = cleanMarkName(unescaped(part.slice(colon + 1)));
    if (at === null || name === "" || marks.some((mark) => mark.at === at)) continue;
    if (marks.length < MOST_MARKS) marks.push({ at, name });
  }
  return inOrder(marks);
}

function inOrder(marks: readonly Mark[]): readonly Mark[] {
  return [...marks].sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
}

/** A stray per cent sign is text. */
export function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
