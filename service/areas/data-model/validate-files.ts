// Compiles files of a request together with those of a deploy branch, without storing them.
import type { validateDataModelFiles } from "../../../api/data-model.ts";
import { Failure } from "../../../core/errors.ts";
import { isCompiledFile, seedTable } from "../../../core/data-model/model-path.ts";
import type { RequestOf } from "../../../core/operation/operation.ts";
import type { CompileReport } from "../../model/types.ts";
import { requireResourcePermission } from "../../security/authorize-call.ts";
import type { Call } from "../shared/operation-handler.ts";
import { branchContext, deployBranch } from "./branches.ts";
import { modelFilesIn, seedFilesIn } from "./builds.ts";
import { base64Bytes, normalizePath } from "./paths.ts";
import { describeContent, readTree, requireStorable, treeHash, type TreeFile } from "./trees.ts";

type FilesCall = Call & { readonly body: RequestOf<typeof validateDataModelFiles>["body"] };

/** A file of the request. */
interface SentFile {
  readonly sha1: string;
  readonly bytes: number;
  readonly isText: boolean;
  readonly content: Buffer;
}

/** Returns the report on the files. Throws for paths, sizes and numbers of files like an upload. */
export async function validateFiles(call: FilesCall): Promise<CompileReport> {
  const { db, body, compiler } = call;
  const base = new Map(await baseFiles(call));
  for (const path of body.removedPaths ?? []) base.delete(normalizePath(path));
  const sent = sentFiles(body.files);
  for (const path of sent.keys()) base.delete(path);
  const files = new Map<string, Pick<TreeFile, "sha1" | "bytes">>([...base, ...sent]);
  requireStorable(files);
  // The key of a tree with these files, so that the report serves its validation and build, too.
  return compiler.compile(treeHash(files), {
    async files() {
      const models = [...sent].filter(([path]) => isCompiledFile(path));
      const changed = models.map(([path, { content, isText }]) => ({
        path,
        content: content.toString(isText ? "utf8" : "latin1"),
      }));
      return sortedByPath([...(await modelFilesIn(db, base)), ...changed]);
    },
    async seeds() {
      const changed = [...sent].filter(([path]) => seedTable(path) !== undefined);
      return sortedByPath([
        ...(await seedFilesIn(db, base)),
        ...changed.map(([path, { content }]) => ({ path, content })),
      ]);
    },
  });
}

function sortedByPath<T extends { readonly path: string }>(files: readonly T[]): readonly T[] {
  return files.toSorted((one, other) => (one.path < other.path ? -1 : 1));
}

async function baseFiles(call: FilesCall): Promise<Iterable<readonly [string, TreeFile]>> {
  const { deploymentId } = call.body;
  if (deploymentId == null) return [];
  await requireResourcePermission(call, "SchemaRead", { type: "deployment", id: deploymentId });
  const on = await branchContext({ ...call, params: { deploymentId } });
  return readTree(call.db, (await deployBranch(on)).tree_id);
}

function sentFiles(files: FilesCall["body"]["files"]): ReadonlyMap<string, SentFile> {
  const sent = new Map<string, SentFile>();
  for (const { path: given, content, encoding } of files) {
    const path = normalizePath(given);
    if (sent.has(path)) throw new Failure("invalid", `${path} is sent twice`);
    const bytes = encoding === "base64" ? base64Bytes(content) : Buffer.from(content);
    sent.set(path, { ...describeContent(bytes, path), bytes: bytes.length, content: bytes });
  }
  return sent;
}
