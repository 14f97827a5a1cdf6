import { describe, expect, it } from "vitest";
import { decodeRecords, encodeRecords, isSameFile, isUnderWay, uploadId } from "./upload-record.ts";

const FILE = {
  key: "k1",
  name: "trace.dat",
  size: 10_287_172,
  modified: 5,
  url: "/api/v1/uploads/ab12",
  done: false,
};

describe("upload records", () => {
  it("come back after a reload", () => {
    const batches = [{ id: "b1", files: [FILE, { ...FILE, key: "k2", url: null }] }];
    expect(decodeRecords(encodeRecords(batches))).toEqual(batches);
  });

  it("are under way only while nothing of them waits for the reader", () => {
    const batch = (...states: string[]) => ({ files: states.map((state) => ({ state })) });
    expect(isUnderWay([])).toBe(false);
    expect(isUnderWay([batch("done", "uploading")])).toBe(true);
    expect(isUnderWay([batch("done", "retrying"), batch("absent")])).toBe(true);
    for (const waits of ["absent", "paused", "failed"])
      expect(isUnderWay([batch("done", waits)])).toBe(false);
  });

  it("are forgotten when they cannot be understood", () => {
    expect(decodeRecords(null)).toEqual([]);
    expect(decodeRecords("{")).toEqual([]);
    expect(decodeRecords('{"schema":2,"batches":[]}')).toEqual([]);
    expect(decodeRecords('{"schema":1,"batches":[{"id":"b","files":[]},{"id":1},null]}')).toEqual([]);
  });

  it("take only the very same file to go on with", () => {
    const file = { name: "trace.dat", size: 10_287_172, lastModified: 5 };
    expect(isSameFile(FILE, file)).toBe(true);
    expect(isSameFile(FILE, { ...file, lastModified: 6 })).toBe(false);
    expect(isSameFile(FILE, { ...file, size: 1 })).toBe(false);
  });

  it("know an upload by the last part of its address", () => {
    expect(uploadId("/api/v1/uploads/ab12")).toBe("ab12");
    expect(uploadId("http://127.0.0.1:8000/api/v1/uploads/ab12/?x=1")).toBe("ab12");
  });
});
