// Tests which files --json-into and --out may overwrite: only their own.
import { execFileSync, spawn } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { assertPlanWritable } from "../../../reconciler/engine/plan-file.ts";
import { commandJson, commandOutputs } from "../../../reconciler/report/command-output-schema.ts";
import { planCommand } from "../../commands/plan.ts";
import { jsonFile } from "./json-file.ts";

const lines = (...values: readonly object[]): string =>
  values.map((value) => `${JSON.stringify(value)}\n`).join("");

const others: readonly (readonly [string, string])[] = [
  ["a manifest", "apiVersion: svc/v1\nkind: Stack\nmetadata: { name: x }\n"],
  ["a manifest in JSON", lines({ apiVersion: "svc/v1", kind: "UserGroup", metadata: {} })],
  ["an inventory", lines({ format: 1, stack: "x", lineage: "l", serial: 1, salt: "s", runs: [] })],
  ["a lock", lines({ id: "1", pid: 7, host: "h", start: "s" })],
  ["a journal", lines({ run: "1" }, { end: 1 })],
  ["grants", lines({ environment: ["A"] })],
  ["a policy", lines({ rules: [] })],
  ["a ready file", lines({ origin: "http://127.0.0.1:1", key: "k" })],
  ["a list", lines([{ kind: "UserGroup", plural: "user-groups", doc: "d" }])],
  ["an answer of the API", lines({ items: [], pageInfo: { hasNextPage: false } })],
  ["a truncated result", '{"format": 1, "report": "plan", "changes": ['],
];
const plan = lines({ format: 1, basis: {} });
const report = lines({ format: 1, report: "plan" });

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "svc-into-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const at = (name: string, content?: string): string => {
  const file = join(folder, name);
  if (content !== undefined) writeFileSync(file, content);
  return file;
};
const isRefused = {
  code: "usage",
  remedy: expect.stringContaining("Nothing was written; choose another file"),
};

describe("files of another kind", () => {
  it("includes a result without a head, as an older svc wrote it", () => {
    const file = at("it.json", lines({ stack: "x", runs: [] }));
    const message = `${file} is not a result of this version of svc`;
    expect(() => jsonFile(file)).toThrow(expect.objectContaining({ ...isRefused, message }));
  });

  it.each([...others, ["a saved plan", plan] as const])(
    "--json-into refuses to overwrite %s",
    (_, content) => {
      const file = at("it.json", content);
      expect(() => jsonFile(file)).toThrow(expect.objectContaining(isRefused));
      expect(readFileSync(file, "utf8")).toBe(content);
    },
  );

  it.each([...others, ["a result of svc", report] as const])(
    "--out refuses to overwrite %s",
    (_, content) => {
      const file = at("it.json", content);
      expect(() => assertPlanWritable(file)).toThrow(expect.objectContaining(isRefused));
      expect(readFileSync(file, "utf8")).toBe(content);
    },
  );

  it.each(["--out", "--json-into"])("%s is refused before anything is read", async (option) => {
    const file = at("stack.yaml", others[0]?.[1]);
    const args = ["--output", "text", option, file];
    const { exitCode } = process;
    const outcome = await planCommand()
      .exitOverride()
      .parseAsync([...args, folder], { from: "user" })
      .then(
        () => process.exitCode,
        (error: { code: string }) => error.code,
      );
    process.exitCode = exitCode;
    expect(outcome).toBe(option === "--out" ? 64 : "usage");
    expect(readFileSync(file, "utf8")).toBe(others[0]?.[1]);
  });
});

describe("files of its own", () => {
  it("are replaced atomically; the check alone changes nothing", () => {
    const runs = lines({ format: 1, report: "history", stack: "x", runs: [] });
    const failure = lines({ format: 1, report: "failure", error: { code: "usage", message: "m" } });
    const openApi = lines({ openapi: "3.1.0", info: { title: "t" }, paths: {} });
    for (const content of ["", report, runs, failure, openApi, undefined]) {
      const file = at("it.json", content);
      const place = jsonFile(file);
      if (content !== undefined) expect(readFileSync(file, "utf8")).toBe(content);
      place.write(report);
      expect(readFileSync(file, "utf8")).toBe(report);
      rmSync(file);
    }
    for (const content of ["", plan, undefined]) assertPlanWritable(at("plan.json", content));
  });

  it.each(Object.keys(commandOutputs) as (keyof typeof commandOutputs)[])(
    "include the result of %s",
    (command) => {
      const file = at("it.json", lines(commandJson(command, {})));
      jsonFile(file).write(report);
      expect(readFileSync(file, "utf8")).toBe(report);
    },
  );

  it("are written through a link and into a pipe", async () => {
    const real = at("real.json", report);
    symlinkSync("real.json", at("link.json"));
    jsonFile(at("link.json")).write(lines({ format: 1, report: "drift" }));
    expect(readFileSync(real, "utf8")).toContain("drift");
    execFileSync("sh", ["-c", `mkfifo "$0"`, at("pipe")]);
    const reader = spawn("cat", [at("pipe")]);
    jsonFile(at("pipe")).write(report);
    expect(await text(reader.stdout)).toBe(report);
    jsonFile("/dev/null").write(report);
    expect(readdirSync(folder).toSorted()).toEqual(["link.json", "pipe", "real.json"]);
  });

  it("is neither a folder nor below a file", () => {
    mkdirSync(at("f"));
    for (const file of [at("f"), at("no/x.json")]) {
      expect(() => jsonFile(file)).toThrow(/cannot write/u);
    }
  });
});
