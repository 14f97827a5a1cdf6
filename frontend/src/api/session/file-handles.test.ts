import { describe, expect, it } from "vitest";
import { filesOf } from "./file-handles.ts";

type Tree = { readonly [name: string]: Tree | string };

/** A folder as a browser tells it: in parts of two, then nothing. */
function folder(name: string, tree: Tree): FileSystemDirectoryEntry {
  const entries = Object.entries(tree).map(([inside, what]) =>
    typeof what === "string"
      ? {
          name: inside,
          isDirectory: false,
          file: (done: (file: File) => void) => done(new File([what], inside)),
        }
      : folder(inside, what),
  );
  return {
    name,
    isDirectory: true,
    createReader: () => {
      const left = [...entries];
      return { readEntries: (done: (part: unknown[]) => void) => done(left.splice(0, 2)) };
    },
  } as unknown as FileSystemDirectoryEntry;
}

describe("a dropped folder", () => {
  it("is all files in it and in folders inside of it, without the hidden ones", async () => {
    const tree = {
      "trace.dat": "1",
      "cmd.txt": "2",
      ".DS_Store": "3",
      side: { "psi.jsonl": "4", ".git": { config: "5" } },
      empty: {},
    };
    const names = (await filesOf(folder("run", tree))).map(({ name }) => name);
    expect(names).toEqual(["cmd.txt", "trace.dat", "psi.jsonl"]);
  });

  it("is not read for ever", async () => {
    const many = Object.fromEntries(Array.from({ length: 1200 }, (_, i) => [`f${i}`, ""]));
    expect(await filesOf(folder("home", many))).toHaveLength(1000);
  });
});
