// Tests that a profile assigns time to functions, and to the parts of a program that called them.
import { expect, it } from "vitest";
import { type CpuProfile, fileOf, timeByPart, topFunctions } from "./cpu-profile.ts";

const frame = (functionName: string, url: string, lineNumber = 0) => ({
  functionName,
  url,
  lineNumber,
});

/** A handler that calls the store, which calls a native function; and a process that waits. */
const profile: CpuProfile = {
  nodes: [
    { id: 1, callFrame: frame("(root)", ""), children: [2, 5] },
    { id: 2, callFrame: frame("handle", "file:///x/service/areas/a.ts", 9), children: [3] },
    { id: 3, callFrame: frame("query", "file:///x/service/store/b.ts", 19), children: [4] },
    { id: 4, callFrame: frame("step", "") },
    { id: 5, callFrame: frame("(idle)", "") },
  ],
  samples: [2, 3, 4, 5, 4],
  timeDeltas: [10, 20, 30, 1000, 40],
};

it("lists functions by their own time, without the time that the process waited", () => {
  expect(topFunctions(profile, 2)).toEqual([
    { name: "step", microseconds: 70, share: 0.7 },
    { name: "query, service/store/b.ts:20", microseconds: 20, share: 0.2 },
  ]);
});

it("adds the time of a function to the part of its nearest caller", () => {
  const partOf = (_: string, file: string) =>
    file.startsWith("service/store/") ? "store" : undefined;
  expect(timeByPart(profile, partOf, "other")).toEqual([
    { name: "store", microseconds: 90, share: 0.9 },
    { name: "other", microseconds: 10, share: 0.1 },
  ]);
});

it("names files from their package or checkout on", () => {
  expect(fileOf("file:///a/node_modules/yaml/dist/lexer.js")).toBe("yaml/dist/lexer.js");
  expect(fileOf("file:///a/dist/chunks/plan-AB12CD34.js")).toBe("dist/chunks/plan.js");
  expect(fileOf("node:internal/streams")).toBe("node:internal/streams");
});
