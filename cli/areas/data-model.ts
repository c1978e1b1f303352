// `svc data-model`: the commands on the files of a data model.
import {
  deleteDataModelFiles,
  getDataModelFileHashes,
  listDataModelFiles,
  putDataModelFiles,
  renameDataModelFiles,
} from "../../api/data-model.ts";
import { Failure } from "../../core/errors.ts";
import { didYouMean } from "../../core/text/naming.ts";
import type { AnswerOf } from "../../core/operation/operation.ts";
import {
  type Area,
  command,
  type ExtraValues,
  type Outcome,
  type RunContext,
} from "../operations/command.ts";
import { deploymentLookup } from "../shared/lookup/deployment-argument.ts";

const lookups = { deploymentId: deploymentLookup };
const noFileFlag = { files: false } as const;

/** Commands that list, read and change the files of a data model. */
export const dataModel: Area = {
  name: "data-model",
  description:
    "List, read and change the files of a data model. Files of a personal dev-mode branch can be changed; `svc deploy` uploads whole projects.",
  commands: [
    command("list", listDataModelFiles, {
      lookups,
      columns: { PATH: "path", TYPE: "type" },
      rows: (answer: { readonly items: readonly FileNode[] }) => answer.items.flatMap(withChildren),
    }),
    command("get", listDataModelFiles, {
      lookups,
      description:
        "Print one file of a branch. Without --branch: of the open dev-mode branch of your credential, otherwise of the deploy branch.",
      flags: { withContent: false },
      extraArguments: [{ syntax: "<path>", doc: "path of the file" }],
      printsContent: true,
      run: readFile,
    }),
    command("put", putDataModelFiles, {
      lookups,
      description:
        "Create or replace a file of a personal dev-mode branch: of --branch, otherwise of the open one of your credential.",
      flags: noFileFlag,
      extraArguments: [{ syntax: "<path>", doc: "path of the file in the project" }],
      extraOptions: [
        { syntax: "--file <file>", doc: "file with the content (default: standard input)" },
      ],
      complete: async (given) => ({
        body: { files: [{ path: String(given.args[0]), content: await contentOf(given) }] },
      }),
    }),
    command("delete", deleteDataModelFiles, {
      lookups,
      flags: noFileFlag,
      extraArguments: [{ syntax: "<paths...>", doc: "paths of files and folders" }],
      complete: async ({ args: [paths] }) => ({
        body: { files: [paths].flat().map((path) => ({ path: String(path) })) },
      }),
    }),
    command("rename", renameDataModelFiles, {
      lookups,
      flags: noFileFlag,
      extraArguments: [
        { syntax: "<path>", doc: "path of the file or folder" },
        { syntax: "<new-path>", doc: "its new path" },
      ],
      complete: async ({ args: [path, newPath] }) => ({
        body: { files: [{ path: String(path), newPath: String(newPath) }] },
      }),
    }),
    command("file-hashes", getDataModelFileHashes, {
      lookups,
      columns: { PATH: "path", HASH: "hash" },
      rows: (answer: Readonly<Record<string, { readonly hash: string }>>) =>
        Object.entries(answer).map(([path, { hash }]) => ({ path, hash })),
    }),
  ],
};

/** A file, or a folder with its contents. */
interface FileNode extends AnswerOf<typeof listDataModelFiles> {
  readonly children?: FileNode[];
}

function withChildren(node: FileNode): readonly FileNode[] {
  return [node, ...(node.children ?? []).flatMap(withChildren)];
}

/** Returns the text of `--file`, or of standard input. Fails with `usage` for bytes that are not UTF-8. */
async function contentOf(given: ExtraValues): Promise<string> {
  const [{ readContent }, { limits }] = await Promise.all([
    import("../operations/content-input.ts"),
    import("../../core/limits/limits.ts"),
  ]);
  const { file = "-" } = given.options;
  const text = await readContent(String(file), given, limits.modelFileBytes);
  if (!text.includes("\ufffd")) return text;
  throw new Failure("usage", "the content is not text in UTF-8", {
    remedy: "Upload the project with `svc deploy`, which sends bytes.",
  });
}

/** Returns the content of a file unchanged, and with its path and encoding for JSON. */
async function readFile({ client, request, extra }: RunContext): Promise<Outcome> {
  const given = String(extra.args[0]);
  const wanted = given.startsWith("/") ? given : `/${given}`;
  const nodes = (await client.reader.all(listDataModelFiles, {
    params: { deploymentId: Number(request.params["deploymentId"]) },
    query: { ...request.query, withContent: true },
  })) as readonly FileNode[];
  const files = nodes.flatMap(withChildren).filter(({ type }) => type === "file");
  const file = files.find(({ path }) => path === wanted);
  if (file === undefined) {
    const paths = files.map((one) => one.path);
    throw new Failure("not_found", `the branch has no file ${JSON.stringify(given)}`, {
      remedy: didYouMean(wanted, paths),
    });
  }
  const { path, content = "", encoding = "utf8" } = file;
  return { answer: { path, content, encoding }, content: Buffer.from(content, encoding) };
}
