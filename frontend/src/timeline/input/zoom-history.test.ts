import { describe, expect, it } from "vitest";
import { ZoomHistory } from "./zoom-history.ts";

const shown = (from: number, to: number) => ({ span: { from, to }, ranges: [] });

describe("ZoomHistory", () => {
  it("goes back through the windows and forward again", () => {
    const history = new ZoomHistory(shown(0, 1000));
    history.note(shown(100, 200));
    history.note(shown(120, 130));
    expect(history.undo()).toEqual(shown(100, 200));
    expect(history.undo()).toEqual(shown(0, 1000));
    expect(history.undo()).toBeNull();
    expect(history.redo()).toEqual(shown(100, 200));
    expect(history.redo()).toEqual(shown(120, 130));
    expect(history.redo()).toBeNull();
  });

  it("counts a rest in the same window once, and keeps what can be redone", () => {
    const history = new ZoomHistory(shown(0, 1000));
    history.note(shown(100, 200));
    history.undo();
    history.note(shown(0, 1000));
    history.note(shown(0.4, 1000.2));
    expect(history.redo()).toEqual(shown(100, 200));
  });

  it("forgets what was undone when another window follows", () => {
    const history = new ZoomHistory(shown(0, 1000));
    history.note(shown(100, 200));
    history.undo();
    history.note(shown(300, 400));
    expect(history.redo()).toBeNull();
    expect(history.undo()).toEqual(shown(0, 1000));
  });

  it("tells committed ranges apart", () => {
    const history = new ZoomHistory(shown(0, 1000));
    history.note({ span: { from: 0, to: 1000 }, ranges: [{ from: 0, to: 1000 }] });
    expect(history.undo()).toEqual(shown(0, 1000));
  });
});
