// Reading manifest files: what stands at a path, and which documents a file holds. Each file is read once.
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import path from "node:path";
import pLimit from "p-limit";
import type { Diagnostic, DiagnosticCode } from "../../core/diagnostics.ts";
import { limits } from "../../core/limits.ts";
import { type Document, parse } from "./parse.ts";

/** The path that stands for standard input. */
export const standardInput = "-";

/** One file, or standard input, as it was found. */
export interface ManifestFile {
  /** Absolute, or {@link standardInput}. */
  readonly path: string;
  readonly documents: readonly Document[];
  readonly diagnostics: readonly Diagnostic[];
  /** Something of it could not be read, so nothing may be concluded from what is not there. */
  readonly incomplete: boolean;
}

/** Reads files for one run; the same file is read once, however often it is asked for. */
export interface FileReader {
  /** The file at an absolute path, or standard input; what goes wrong is among its diagnostics. */
  read(file: string): Promise<ManifestFile>;
  /** Several, in the order of their paths, each once. */
  readAll(files: Iterable<string>): Promise<readonly ManifestFile[]>;
  /** The name of a file in messages: as seen from the current folder. */
  displayPath(file: string): string;
}

/** What reading needs from the caller. */
export interface FileReaderOptions {
  readonly cwd: string;
  readonly stdin?: (() => Promise<string>) | undefined;
}

/** A reader of manifest files. */
export function fileReader({ cwd, stdin }: FileReaderOptions): FileReader {
  const known = new Map<string, Promise<ManifestFile>>();
  const slot = pLimit(limits.concurrency);
  const nameOf = (file: string): string => {
    return file === standardInput ? "<stdin>" : path.relative(cwd, file) || file;
  };
  const read = (file: string): Promise<ManifestFile> => {
    const before = known.get(file);
    if (before !== undefined) return before;
    const made = slot(async () => manifestFile(file, nameOf(file), await textOf(file, stdin)));
    known.set(file, made);
    return made;
  };
  const readAll = (files: Iterable<string>): Promise<readonly ManifestFile[]> =>
    Promise.all([...new Set(files)].toSorted().map(read));
  return { read, readAll, displayPath: nameOf };
}

/** What stands at a path: a folder, something that can be read, or nothing. */
export async function pathType(file: string): Promise<"folder" | "file" | "nothing"> {
  try {
    return (await stat(file)).isDirectory() ? "folder" : "file";
  } catch {
    return "nothing";
  }
}

/** False for a path where something lies that does not begin as an inventory does; one that is torn later may be one. */
export async function mayBeInventory(file: string): Promise<boolean> {
  try {
    const chunks: Buffer[] = [];
    for await (const chunk of createReadStream(file, { end: 99 })) chunks.push(chunk as Buffer);
    return /^\s*(?:\{\s*(?:"(?:format|stack|lineage|serial|origin|salt|entries)"|$)|$)/u.test(
      Buffer.concat(chunks).toString("utf8"),
    );
  } catch {
    // What cannot be read is told by whoever needs it.
    return true;
  }
}

/** The diagnostic for a file that cannot be read. */
export function unreadable(name: string, why: string): Diagnostic {
  return fileDiagnostic("file-unreadable", name, `${name} cannot be read: ${why}`);
}

type ReadResult =
  | { readonly text: string }
  | { readonly code: DiagnosticCode; readonly why: string };

function manifestFile(file: string, name: string, got: ReadResult): ManifestFile {
  if ("text" in got) {
    const { documents, diagnostics } = parse(name, got.text);
    const incomplete = documents.length === 0 && diagnostics.length > 0;
    return { path: file, documents, diagnostics, incomplete };
  }
  const { code, why } = got;
  const diagnostic = fileDiagnostic(code, name, `${name} cannot be read: ${why}`);
  return { path: file, documents: [], diagnostics: [diagnostic], incomplete: true };
}

function fileDiagnostic(code: DiagnosticCode, name: string, summary: string): Diagnostic {
  return { code, severity: "error", summary, place: { file: name, line: 1, column: 1 } };
}

async function textOf(file: string, stdin: FileReaderOptions["stdin"]): Promise<ReadResult> {
  const unread = "file-unreadable";
  try {
    if (file !== standardInput) return decode(await bytesOf(file));
    if (stdin === undefined) return { code: unread, why: "there is no standard input" };
    const text = await stdin();
    return text.length > limits.manifestBytes ? tooLarge() : { text };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return { code: unread, why: reasons[code ?? ""] ?? code ?? "reading it failed" };
  }
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "it does not exist",
  EACCES: "you have no permission",
  EPERM: "you have no permission",
  EISDIR: "it is a folder",
};

/** At most one byte more than is allowed, so that also a pipe without an end is bounded. */
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
