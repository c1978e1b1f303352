// Checks the files of a data model at the server before the first write: whether they compile, and the names in their access policies and links.
import { validateDataModelFiles } from "../api/data-model.ts";
import { getDeployments } from "../api/deployments.ts";
import { type ErrorCode, Failure } from "../core/errors.ts";
import { fileBytes } from "../core/text/file-text.ts";
import type { JsonObject } from "../core/json.ts";
import type { Reader } from "../core/kind/kind.ts";
import { limits } from "../core/limits/limits.ts";
import { isBuiltFile } from "../core/data-model/model-path.ts";
import { joinPointer, splitPointer } from "../core/pointer.ts";
import type {
  CheckedWrite,
  CheckResult,
  ValueCheck,
  ValueError,
} from "../core/kind/server-checks.ts";
import type { AnswerOf } from "../core/operation/operation.ts";
import { deploymentIds } from "./codec.ts";
import { nameFindings } from "./data-model-names.ts";
import type { Spec } from "./data-model-upload.ts";

/** Sends the files that change and that a build reads. The server has the others. */
export const compileCheck: ValueCheck<Reader> = {
  what: "the files of the data model",
  needs: [getDeployments, validateDataModelFiles],
  run: async (reader, write) => {
    const { deployment, files } = write.spec as JsonObject & Spec;
    const id = (await deploymentIds.read(reader)).get(deployment);
    const paths = id === undefined ? undefined : changedFiles(write);
    const isChanged = (paths ?? Object.keys(files)).filter(isBuiltFile);
    if (isChanged.length === 0) return { errors: [], errorCount: 0 };
    const sent = isChanged.flatMap((path) => {
      const text = files[path];
      return text === undefined ? [] : [contentOf(path, text)];
    });
    const body = {
      files: sent,
      ...(paths && {
        deploymentId: id ?? null,
        removedPaths: isChanged.filter((path) => files[path] === undefined),
      }),
    };
    const bytes = Buffer.byteLength(JSON.stringify(body));
    if (bytes > limits.bodyBytes) {
      const most = `${limits.bodyBytes / 1024 / 1024} MB`;
      return { unknown: `its changed files exceed ${most}, so only an apply validates them` };
    }
    return compile(reader, body);
  },
  lasting: (reader, declared) => {
    const { files } = declared.spec as JsonObject & Spec;
    const built = Object.entries(files).filter(([path]) => isBuiltFile(path));
    return nameFindings(reader, Object.fromEntries(built), declared);
  },
};

async function compile(
  reader: Reader,
  body: Parameters<typeof reader.one<typeof validateDataModelFiles>>[1]["body"],
): Promise<CheckResult> {
  try {
    const report = await reader.one(validateDataModelFiles, { body });
    if (report === undefined) return { unknown: "its deployment was deleted in the meantime" };
    const { errors, errorCount, warnings = [] } = report;
    return {
      errors: errors.map(placedInFiles),
      errorCount,
      warnings: warnings.map(({ code, ...warning }) => {
        const { message, ...place } = placedInFiles(warning);
        return { ...place, message: `${code}: ${message}` };
      }),
    };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const { code, message } = error;
    if (code === "unavailable") return { unknown: message };
    if (!refusals.has(code)) throw error;
    return { errors: [{ path: "/files", message }], errorCount: 1 };
  }
}

type ReportedError = AnswerOf<typeof validateDataModelFiles>["errors"][number];

function placedInFiles({ fileName, line, column, message }: ReportedError): ValueError {
  return {
    path: fileName === undefined ? "/files" : joinPointer(["files", fileName]),
    ...(line !== undefined && { line }),
    ...(column !== undefined && { column }),
    message,
  };
}

/** Errors that an apply of the same files would get. */
const refusals: ReadonlySet<ErrorCode> = new Set(["invalid", "limit_reached", "too_large"]);

/** Returns the paths of files that change; undefined for all. */
function changedFiles({ changed }: CheckedWrite): readonly string[] | undefined {
  const paths = changed
    ?.map(({ path }) => splitPointer(path))
    .filter(([field]) => field === "files");
  if (paths?.some(([, path]) => path === undefined) !== false) return undefined;
  return paths.flatMap(([, path]) => (path === undefined ? [] : [path]));
}

function contentOf(path: string, text: string) {
  const bytes = fileBytes(text);
  const isText = bytes.toString("utf8") === text;
  return isText
    ? { path, content: text }
    : { path, content: bytes.toString("base64"), encoding: "base64" as const };
}
