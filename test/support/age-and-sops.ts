// The real age and sops, where they are found, with keys and files of their own.
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe } from "vitest";
import { findEngine } from "../../scripts/build-engines.ts";

const programs = ["age", "age-keygen", "sops"] as const;

/** Tests with the real programs; a counted skip that names those which are neither on PATH nor built. */
export function describeWithPrograms(
  what: string,
  needed: readonly (typeof programs)[number][],
  tests: () => void,
): void {
  const missing = needed.filter((name) => findEngine(name) === undefined);
  const why = missing.length === 0 ? "" : ` (neither on PATH nor built: ${missing.join(", ")})`;
  describe.skipIf(missing.length > 0)(`${what}${why}`, tests);
}

/** A `PATH` on which the programs are found. */
export function programsPath(): string {
  const found = programs.flatMap((name) => findEngine(name) ?? []).map(dirname);
  return [...new Set(found), process.env["PATH"] ?? ""].join(":");
}

function run(name: (typeof programs)[number], args: readonly string[], input = ""): string {
  const options = { input, stdio: "pipe", encoding: "utf8" } as const;
  return execFileSync(findEngine(name) ?? name, args, options);
}

/** A new key: the file that holds it, in `folder`, and the recipient that it opens files of. */
export function makeKey(folder: string, name: string): { file: string; recipient: string } {
  const file = join(folder, name);
  run("age-keygen", ["-o", file]);
  return { file, recipient: run("age-keygen", ["-y", file]).trim() };
}

/** Writes what age makes of a text. */
export function writeAge(file: string, recipient: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  run("age", ["--encrypt", "--recipient", recipient, "--output", file], text);
}

/** Writes what sops makes of a text; what structure it has is reported by the file's name. */
export function writeSops(file: string, recipient: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  run("sops", ["--encrypt", "--in-place", "--age", recipient, file]);
}
