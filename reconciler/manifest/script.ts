// Manifests in TypeScript, `*.stack.ts`: run where the operator grants it, and from then on documents like any others.
import pLimit from "p-limit";
import type { Diagnostic, DiagnosticCode, Place } from "../../core/diagnostics.ts";
import type { JsonValue } from "../../core/json.ts";
import { limits } from "../../core/limits.ts";
import { shellQuote } from "../model/shell-command.ts";
import type { Grants } from "../operator/grants.ts";
import { covers } from "../operator/path-containment.ts";
import type { ManifestFile } from "./files.ts";
import { type Document, parse } from "./parse.ts";
import { runScript, type ScriptResult, type ScriptDocument } from "./script-run.ts";

/** What manifests are run with. */
export interface ScriptContext {
  /** Absolute path of the Stack's folder. */
  readonly folder: string;
  readonly variables: Readonly<Record<string, JsonValue>>;
  readonly granted: Grants["typescript"];
  /** The name of a file in messages. */
  displayPath(file: string): string;
}

/** True for the path of a manifest in TypeScript. */
export function isScript(file: string): boolean {
  return /\.stack\.ts$/iu.test(file);
}

/** The documents that each gives; what keeps one from giving any is among its diagnostics. */
export async function readScripts(
  files: readonly string[],
  running: ScriptContext,
): Promise<readonly ManifestFile[]> {
  const slot = pLimit(limits.scriptsAtOnce);
  return Promise.all([...new Set(files)].map((file) => slot(readScript, file, running)));
}

async function readScript(file: string, running: ScriptContext): Promise<ManifestFile> {
  const { folder, variables, granted = [] } = running;
  const name = running.displayPath(file);
  const isGranted = granted === true || (granted || []).some((one) => covers(one, file));
  if (!isGranted) {
    const summary = `running ${name} was not granted to these manifests`;
    const remedy = `If you trust it, and whoever may change it, grant it: typescript: ["${file}"] in the grants, or --allow-typescript ${shellQuote(name)}.`;
    return failedFile(file, diagnosticAt("script-not-allowed", startOf(name), { summary, remedy }));
  }
  const answer = await runScript({ file, folder, variables });
  if ("error" in answer) return failedFile(file, failure(name, answer));
  const read = answer.documents.map((one) => documentsOf(name, one));
  return {
    path: file,
    documents: read.flatMap(({ documents }) => documents),
    diagnostics: read.flatMap(({ diagnostics }) => diagnostics),
    incomplete: read.some(({ documents }) => documents.length === 0),
  };
}

/** Read as any JSON text is, so that its bounds and rules hold here as well; only the places are those of the program. */
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

function failure(name: string, answer: Extract<ScriptResult, { error: string }>): Diagnostic {
  const { error, denied, tooLarge, line = 1, column = 1 } = answer;
  const remedy = denied
    ? "It may read the folder of the Stack, its own and the packages above them; it writes nothing and starts nothing."
    : "Export documents: a list, or a function of { variables } that gives one.";
  const code = tooLarge === true ? "file-too-large" : "script-failed";
  const summary = `${name} gives no documents: ${error}`;
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
  said: Pick<Diagnostic, "summary" | "remedy">,
): Diagnostic {
  return { code, severity: "error", ...said, place };
}
