// Reads TypeScript manifests (`*.stack.ts`), if the operator grants it.
import pLimit from "p-limit";
import type { Diagnostic, DiagnosticCode, Place } from "../../core/diagnostics.ts";
import type { JsonValue } from "../../core/json.ts";
import { limits } from "../../core/limits/limits.ts";
import { type Grants, grantRemedy } from "../operator/grants.ts";
import { covers } from "../operator/path-containment.ts";
import type { ManifestFile } from "./files.ts";
import { type Document, parse } from "./parse.ts";
import { runScript, type ScriptResult, type ScriptDocument } from "./script-run.ts";

/** The inputs and permissions of a script. */
export interface ScriptContext {
  /** Absolute path of the Stack's folder. */
  readonly folder: string;
  readonly variables: Readonly<Record<string, JsonValue>>;
  readonly granted: Grants["typescript"];
  /** Returns the name of a file for messages. */
  displayPath(file: string): string;
}

/** Returns true for the path of a TypeScript manifest. */
export function isScript(file: string): boolean {
  return /\.stack\.ts$/iu.test(file);
}

/** Runs scripts and returns their documents. Errors are in the diagnostics of each file. */
export async function readScripts(
  files: readonly string[],
  context: ScriptContext,
): Promise<readonly ManifestFile[]> {
  const limit = pLimit(limits.concurrentScripts);
  return Promise.all([...new Set(files)].map((file) => limit(readScript, file, context)));
}

async function readScript(file: string, context: ScriptContext): Promise<ManifestFile> {
  const { folder, variables, granted = [] } = context;
  const name = context.displayPath(file);
  const isGranted = granted === true || (granted || []).some((one) => covers(one, file));
  if (!isGranted) {
    const summary = `running ${name} is not granted`;
    const remedy = grantRemedy("typescript", file);
    return failedFile(file, diagnosticAt("script-not-allowed", startOf(name), { summary, remedy }));
  }
  const result = await runScript({ file, folder, variables });
  if ("error" in result) return failedFile(file, failure(name, result));
  const read = result.documents.map((one) => documentsOf(name, one));
  return {
    path: file,
    documents: read.flatMap(({ documents }) => documents),
    diagnostics: read.flatMap(({ diagnostics }) => diagnostics),
    incomplete: read.some(({ documents }) => documents.length === 0),
  };
}

/** Parses the document like a JSON file, with the same limits. Its place is the builder call. */
function documentsOf(
  name: string,
  { value, line = 1, column = 1 }: ScriptDocument,
): Pick<ManifestFile, "documents" | "diagnostics"> {
  const place: Place = { file: name, line, column };
  const { documents, diagnostics } = parse(name, JSON.stringify(value));
  return {
    documents: documents.map((one): Document => {
      return { ...one, place, generatedBy: "script", locate: () => place };
    }),
    diagnostics: diagnostics.map((one) => ({ ...one, place })),
  };
}

function failure(name: string, result: Extract<ScriptResult, { error: string }>): Diagnostic {
  const { error, denied, tooLarge, line = 1, column = 1 } = result;
  const remedy = denied
    ? "A script may read the Stack's folder, its own and the packages above them. It cannot write files or start processes."
    : "Export documents: a list, or a function of { variables } that returns one.";
  const code = tooLarge === true ? "file-too-large" : "script-failed";
  const summary = `${name} failed: ${error}`;
  return diagnosticAt(code, { file: name, line, column }, { summary, remedy });
}

function failedFile(file: string, diagnostic: Diagnostic): ManifestFile {
  return { path: file, documents: [], diagnostics: [diagnostic], incomplete: true };
}

function startOf(file: string): Place {
  return { file, line: 1, column: 1 };
}

function diagnosticAt(
  code: DiagnosticCode,
  place: Place,
  detail: Pick<Diagnostic, "summary" | "remedy">,
): Diagnostic {
  return { code, severity: "error", ...detail, place };
}
