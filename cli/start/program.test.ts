// The code that V8 compiles in a run is used by the next run of the same build.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";

const program = join(import.meta.dirname, "program.ts");
const flags = join(import.meta.dirname, "../shared/v8-flags.ts");
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "svc-start-"));
  mkdirSync(join(folder, "chunks"));
  writeFileSync(
    join(folder, "chunks/greeting.cjs"),
    `exports.greet = () => "hello from " + require("node:path").basename(__filename);`,
  );
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function run(main: string) {
  writeFileSync(join(folder, "main.cjs"), main);
  const start = `import(process.argv[1]).then(({ startProgram }) => startProgram(process.argv[2], process.argv[3]))`;
  const files = [program, join(folder, "main.cjs"), join(folder, "cache/code")];
  return spawnSync(process.execPath, ["-e", start, ...files], { encoding: "utf8" });
}

const greet = `console.log(require("./chunks/greeting.cjs").greet());`;
const kept = () => statSync(join(folder, "cache/code"), { throwIfNoEntry: false });

it("writes the code once, and starts with it, also where a command sets flags of V8", () => {
  const main = `${greet}
    const flags = require(${JSON.stringify(flags)});
    for (const name of ["boundHeapGrowth", "collectOnlyWhenNeeded", "delayParserOptimization"]) flags[name]();`;
  for (let one = 0; one < 3; one++) {
    const before = kept()?.ino;
    expect(run(main)).toMatchObject({ stdout: "hello from greeting.cjs\n", stderr: "", status: 0 });
    if (one > 0) expect(kept()?.ino).toBe(before);
  }
  expect(readdirSync(join(folder, "cache"))).toEqual(["code"]);
});

it("adds the code of files that only another run loads", () => {
  writeFileSync(join(folder, "chunks/parting.cjs"), `exports.part = () => "bye";`);
  // Of the same length in each run, because V8 distinguishes sources by their length.
  const main = `const parts = require("node:fs").existsSync(__dirname + "/parts");
    if (parts) console.log(require("./chunks/parting.cjs").part()); else ${greet}`;
  run(main);
  const before = kept();
  mkdirSync(join(folder, "parts"));
  expect(run(main).stdout).toBe("bye\n");
  const both = kept();
  expect(both?.size).toBeGreaterThan(before?.size ?? Infinity);
  run(main);
  rmSync(join(folder, "parts"), { recursive: true });
  expect(run(main).stdout).toBe("hello from greeting.cjs\n");
  expect(kept()?.ino).toBe(both?.ino);
});

it("compiles again what is damaged", () => {
  run(greet);
  const { size } = statSync(join(folder, "cache/code"));
  writeFileSync(join(folder, "cache/code"), Buffer.alloc(size));
  expect(run(greet)).toMatchObject({ stdout: "hello from greeting.cjs\n", stderr: "", status: 0 });
  expect(kept()?.size).toBe(size);
});

it("keeps nothing of a run that failed, or that set other flags of V8", () => {
  run(`${greet} process.exitCode = 1;`);
  run(`${greet} process.getBuiltinModule("node:v8").setFlagsFromString("--stack-size=900");`);
  expect(kept()).toBeUndefined();
});
