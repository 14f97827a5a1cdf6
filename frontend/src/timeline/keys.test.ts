import { describe, expect, it } from "vitest";
import { commandOf, KEY_ROWS, type KeyPress } from "./keys.ts";

const press = (key: string, code: string, change: Partial<KeyPress> = {}): KeyPress => ({
  key,
  code,
  shift: false,
  ctrl: false,
  alt: false,
  meta: false,
  ...change,
});

describe("commandOf", () => {
  it("knows the keys of the brief", () => {
    expect(commandOf(press("w", "KeyW"))).toBe("zoom-in");
    expect(commandOf(press("ArrowLeft", "ArrowLeft"))).toBe("pan-left");
    expect(commandOf(press("f", "KeyF"))).toBe("fit-selection");
    expect(commandOf(press("F", "KeyF", { shift: true }))).toBe("fit-all");
    expect(commandOf(press(".", "Period"))).toBe("next");
    expect(commandOf(press("?", "Slash", { shift: true }))).toBe("sheet");
    expect(commandOf(press("Escape", "Escape"))).toBe("escape");
  });

  it("finds WASD by its place on other layouts", () => {
    expect(commandOf(press("z", "KeyW"))).toBe("zoom-in");
    expect(commandOf(press("q", "KeyA"))).toBe("pan-left");
  });

  it("lets signs mean what they show even where a layout puts them under WASD", () => {
    expect(commandOf(press(",", "KeyW"))).toBe("previous");
  });

  it("goes through occurrences with brackets, also where a layout has them behind AltGr or Option", () => {
    expect(commandOf(press("]", "BracketRight"))).toBe("next-occurrence");
    expect(commandOf(press("[", "BracketLeft"))).toBe("previous-occurrence");
    expect(commandOf(press("}", "BracketRight", { shift: true }))).toBe("next-finding");
    expect(commandOf(press("{", "Digit8", { alt: true }))).toBe("previous-finding");
    expect(commandOf(press("]", "Digit9", { ctrl: true, alt: true }))).toBe("next-occurrence");
    expect(commandOf(press("[", "Digit5", { alt: true }))).toBe("previous-occurrence");
    expect(commandOf(press("]", "BracketRight", { ctrl: true }))).toBeNull();
    expect(commandOf(press("[", "BracketLeft", { meta: true }))).toBeNull();
  });

  it("opens the palette with Ctrl or ⌘ and k, whatever else is written with k", () => {
    expect(commandOf(press("k", "KeyK", { ctrl: true }))).toBe("palette");
    expect(commandOf(press("k", "KeyK", { meta: true }))).toBe("palette");
    expect(commandOf(press("k", "KeyK"))).toBeNull();
    expect(commandOf(press("K", "KeyK", { ctrl: true, shift: true }))).toBeNull();
    expect(commandOf(press("k", "KeyK", { ctrl: true, alt: true }))).toBeNull();
  });

  it("undoes and redoes with Ctrl or ⌘ and z", () => {
    expect(commandOf(press("z", "KeyZ", { ctrl: true }))).toBe("undo-zoom");
    expect(commandOf(press("Z", "KeyZ", { meta: true, shift: true }))).toBe("redo-zoom");
    expect(commandOf(press("z", "KeyZ"))).toBe("undo-zoom");
    expect(commandOf(press("z", "KeyZ", { ctrl: true, alt: true }))).toBeNull();
  });

  it("leaves other chords to the browser", () => {
    expect(commandOf(press("f", "KeyF", { ctrl: true }))).toBeNull();
    expect(commandOf(press("d", "KeyD", { meta: true }))).toBeNull();
  });

  it("has every command on the sheet", () => {
    expect(new Set(KEY_ROWS.map((row) => row.command)).size).toBe(KEY_ROWS.length);
  });
});
