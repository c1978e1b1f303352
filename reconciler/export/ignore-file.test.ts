// Tests the `.gitignore` of a new stack: the paths that Git then ignores, and that an existing file is not changed.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { ignoreFileFor, schemaFile } from "./ignore-file.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "svc-ignore-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

it("ignores inventories and secrets in every folder, and keeps the schema", () => {
  const { files, missingIgnores } = ignoreFileFor(folder);
  expect([files.map((file) => file.path), missingIgnores]).toEqual([[".gitignore"], []]);
  execFileSync("git", ["init", "-q"], { cwd: folder });
  writeFileSync(path.join(folder, ".gitignore"), files[0]?.text ?? "");
  const ignored = [
    ".svc/shop.inventory.json",
    "stages/test/.svc/shop.inventory.json.journal",
    "secrets/ci",
    "stages/test/secrets/ci",
  ];
  const kept = [schemaFile, "stack.yaml", "stages/test/stack.yaml", "svc/x", "secrets.yaml"];
  const input = [...ignored, ...kept].join("\n");
  const git = ["-c", "core.excludesFile=/dev/null", "check-ignore", "--no-index", "--stdin"];
  expect(execFileSync("git", git, { cwd: folder, input, encoding: "utf8" }).trim()).toBe(
    ignored.join("\n"),
  );
});

it("is written for a folder that does not exist yet", () => {
  expect(ignoreFileFor(path.join(folder, "new", "stack")).files).toHaveLength(1);
});

it.each([
  ["a file", (file: string) => writeFileSync(file, "")],
  ["a link", (file: string) => symlinkSync("/dev/null", file)],
  ["a folder", (file: string) => mkdirSync(file)],
])("does not replace %s, and names the lines that it may lack", (_, create) => {
  create(path.join(folder, ".gitignore"));
  expect(ignoreFileFor(folder)).toEqual({
    files: [],
    missingIgnores: ["**/.svc/*", `!/${schemaFile}`, "secrets/"],
  });
});
