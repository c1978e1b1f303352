// The real age and sops, where they are found, with keys and files of their own.
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe } from "vitest";
import { findEngine } from "../../scripts/build-engines.ts";

const programs = ["age", "age-keygen", "sops"] as const;

/**
 * Declares tests with the real programs. Skips them, with a count, if programs are neither on PATH nor built, and names
 * these.
 */
export function describeWithPrograms(
  what: string,
  needed: readonly (typeof programs)[number][],
  tests: () => void,
): void {
  const missing = needed.filter((name) => findEngine(name) === undefined);
  const why = missing.length === 0 ? "" : ` (neither on PATH nor built: ${missing.join(", ")})`;
  describe.skipIf(missing.length > 0)(`${what}${why}`, tests);
}

/** Returns a `PATH` that contains the programs. */
export function programsPath(): string {
  const found = programs.flatMap((name) => findEngine(name) ?? []).map(dirname);
  return [...new Set(found), process.env["PATH"] ?? ""].join(":");
}

function run(name: (typeof programs)[number], args: readonly string[], input = ""): string {
  const options = { input, stdio: "pipe", encoding: "utf8" } as const;
  return execFileSync(findEngine(name) ?? name, args, options);
}

/** Creates a key. Returns its file in `folder`, and the recipient whose files it decrypts. */
export function makeKey(folder: string, name: string): { file: string; recipient: string } {
  const file = join(folder, name);
  run("age-keygen", ["-o", file]);
  return { file, recipient: run("age-keygen", ["-y", file]).trim() };
}

/** Encrypts a text with age, and writes the result. */
export function writeAge(file: string, recipient: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  run("age", ["--encrypt", "--recipient", recipient, "--output", file], text);
}

/** Encrypts a text with sops, and writes the result. The file's name determines the format. */
export function writeSops(file: string, recipient: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  run("sops", ["--encrypt", "--in-place", "--age", recipient, file]);
}
