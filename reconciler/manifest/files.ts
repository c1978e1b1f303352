// Reads manifest files, each once, within size limits.
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import path from "node:path";
import pLimit from "p-limit";
import type { Diagnostic, DiagnosticCode } from "../../core/diagnostics.ts";
import { limits } from "../../core/limits/limits.ts";
import { systemErrorText } from "../../core/system/system-error.ts";
import { looksLikeDocument } from "./document.ts";
import type { ParseCache } from "./parse-cache.ts";
import { type Document, parse, type Parsed } from "./parse.ts";

/** The path that means standard input. */
export const standardInput = "-";

/** One file, or standard input, with its documents. */
export interface ManifestFile {
  /** Absolute, or {@link standardInput}. */
  readonly path: string;
  readonly documents: readonly Document[];
  readonly diagnostics: readonly Diagnostic[];
  /** True if part of the file could not be read, so that documents may be missing. */
  readonly incomplete: boolean;
  /** True if nothing in the text looks like a manifest, even if the file has errors. Default: false. */
  readonly declaresNothing?: boolean;
}

/** Reads files for one run, each at most once. */
export interface FileReader {
  /** Reads the file at an absolute path, or standard input. Errors are in its diagnostics. */
  read(file: string): Promise<ManifestFile>;
  /** Reads several files, each once, sorted by path. */
  readAll(files: Iterable<string>): Promise<readonly ManifestFile[]>;
  /** Returns the name of a file for messages, relative to the current folder. */
  displayPath(file: string): string;
}

/** Options of a file reader. */
export interface FileReaderOptions {
  readonly cwd: string;
  readonly stdin?: (() => Promise<string>) | undefined;
  /** Returns the documents of texts that were parsed before. Default: each text is parsed. */
  readonly parseCache?: ParseCache | undefined;
}

/** Creates a reader of manifest files. */
export function fileReader({ cwd, stdin, parseCache }: FileReaderOptions): FileReader {
  const pendingReads = new Map<string, Promise<ManifestFile>>();
  const limit = pLimit(limits.concurrency);
  const nameOf = (file: string): string => {
    return file === standardInput ? "<stdin>" : path.relative(cwd, file) || file;
  };
  const parseText = (name: string, text: string): Parsed =>
    parseCache === undefined ? parse(name, text) : parseCache.parse(name, text);
  const read = (file: string): Promise<ManifestFile> => {
    const pending = pendingReads.get(file);
    if (pending !== undefined) return pending;
    const reading = limit(async () => {
      const result = await textOf(file, stdin);
      return manifestFile(file, result, { name: nameOf(file), parseText });
    });
    pendingReads.set(file, reading);
    return reading;
  };
  const readAll = (files: Iterable<string>): Promise<readonly ManifestFile[]> =>
    Promise.all([...new Set(files)].toSorted().map(read));
  return { read, readAll, displayPath: nameOf };
}

/** Returns the type of a path. Everything that is not a folder, such as a pipe, is a `file`. */
export async function pathType(file: string): Promise<"folder" | "file" | "nothing"> {
  try {
    return (await stat(file)).isDirectory() ? "folder" : "file";
  } catch {
    return "nothing";
  }
}

/** Returns false if the path holds a file that does not start like an inventory. A truncated inventory still counts as one. */
export async function mayBeInventory(file: string): Promise<boolean> {
  try {
    const chunks: Buffer[] = [];
    for await (const chunk of createReadStream(file, { end: 99 })) chunks.push(chunk as Buffer);
    return /^\s*(?:\{\s*(?:"(?:format|stack|lineage|serial|origin|salt|entries)"|$)|$)/u.test(
      Buffer.concat(chunks).toString("utf8"),
    );
  } catch {
    // An unreadable file is reported by the command that needs it.
    return true;
  }
}

/** Returns false for a JSON file without an svc `apiVersion`, such as package.json. An unreadable file may be a manifest. */
export function mayBeManifest(file: string): Promise<boolean> {
  return mayContain(file, /"apiVersion"\s*:\s*"svc\//u);
}

/** A part of every manifest, in YAML or JSON. */
const manifestText = /\bapiVersion["']?\s*:\s*["']?svc\//u;

/** Returns false for a file that contains no Stack document. An unreadable file may contain one. */
export function mayContainStack(file: string): Promise<boolean> {
  return mayContain(file, /\bkind["']?\s*:\s*["']?Stack\b/u);
}

async function mayContain(file: string, pattern: RegExp): Promise<boolean> {
  try {
    return pattern.test((await bytesOf(file)).toString("utf8"));
  } catch {
    // Reading it as a manifest reports the error.
    return true;
  }
}

/** Returns the diagnostic for a file that cannot be read. */
export function unreadable(name: string, why: string): Diagnostic {
  return fileDiagnostic("file-unreadable", name, `${name} cannot be read: ${why}`);
}

type ReadResult =
  | { readonly text: string }
  | { readonly code: DiagnosticCode; readonly why: string };

function manifestFile(
  file: string,
  result: ReadResult,
  { name, parseText }: { readonly name: string; readonly parseText: typeof parse },
): ManifestFile {
  if ("text" in result) {
    const { documents, diagnostics } = parseText(name, result.text);
    const incomplete = documents.length === 0 && diagnostics.length > 0;
    const mayDeclare = documents.some(looksLikeDocument) || manifestText.test(result.text);
    return { path: file, documents, diagnostics, incomplete, declaresNothing: !mayDeclare };
  }
  const { code, why } = result;
  const diagnostic = fileDiagnostic(code, name, `${name} cannot be read: ${why}`);
  return { path: file, documents: [], diagnostics: [diagnostic], incomplete: true };
}

function fileDiagnostic(code: DiagnosticCode, name: string, summary: string): Diagnostic {
  return { code, severity: "error", summary, place: { file: name, line: 1, column: 1 } };
}

/** A program, whose documents would look removed if it was skipped. */
const program = /\.[cm]?[jt]s$/iu;
const programText = "it is a program; pipe what it prints, as in `node stack.ts | svc plan -`";

async function textOf(file: string, stdin: FileReaderOptions["stdin"]): Promise<ReadResult> {
  const unreadableCode = "file-unreadable";
  if (program.test(file)) return { code: unreadableCode, why: programText };
  try {
    if (file !== standardInput) return decode(await bytesOf(file));
    if (stdin === undefined) return { code: unreadableCode, why: "there is no standard input" };
    const text = await stdin();
    return text.length > limits.manifestBytes ? tooLarge() : { text };
  } catch (error) {
    return { code: unreadableCode, why: systemErrorText(error) };
  }
}

/** Reads at most one byte more than the limit, so that an endless pipe is bounded too. */
async function bytesOf(file: string): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of createReadStream(file, { end: limits.manifestBytes })) {
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks);
}

function decode(bytes: Buffer): ReadResult {
  if (bytes.length > limits.manifestBytes) return tooLarge();
  try {
    return { text: new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
  } catch {
    return { code: "file-unreadable", why: "it is not UTF-8 text" };
  }
}

function tooLarge(): ReadResult {
  return { code: "file-too-large", why: `it is larger than ${limits.manifestBytes} bytes` };
}
