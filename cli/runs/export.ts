// Runs `svc export`: writes manifests for live objects.
import path from "node:path";
import { Failure } from "../../core/errors.ts";
import { shellQuote } from "../../core/text/shell-quote.ts";
import { type Export, exportStack } from "../../reconciler/export/export.ts";
import type { Split } from "../../reconciler/export/files.ts";
import { ignoreFileFor } from "../../reconciler/export/ignore-file.ts";
import { hasStack, stackNameFor, stackNameIn } from "../../reconciler/export/stack-folder.ts";
import { type UpdateResult, updateStack } from "../../reconciler/export/update.ts";
import { replaceFile, writeFiles } from "../../reconciler/export/write.ts";
import { exportJson, updateJson } from "../../reconciler/report/json.ts";
import { foldNames } from "../../reconciler/report/fold-lists.ts";
import type { TextStyle } from "../../reconciler/report/style.ts";
import { escapeInvisible, pluralize } from "../../core/text/escape-text.ts";
import { kinds } from "../../resources/index.ts";
import { serverAccess } from "../shared/connection/connection.ts";
import { exitCodes } from "../shared/exit-codes.ts";
import { type CommandContext, runAction } from "../shared/run/run-action.ts";
import { progressFor } from "../shared/output/progress.ts";
import { reportDiagnostics, runVerb } from "../shared/run/verb.ts";
import type { VerbFlags } from "../shared/options/verb-options.ts";

export interface Flags extends VerbFlags {
  readonly into?: string;
  readonly split?: Split;
  /** `false` for `--no-stack`. */
  readonly stack?: string | false;
  readonly overwrite?: true;
  readonly update?: true;
  readonly onlyDeclared?: true;
}

/** Runs `svc export`. */
export function runExport(names: string[], flags: Flags): Promise<void> {
  return runAction(flags, (context) => run(names, flags, context));
}

async function run(
  names: readonly string[],
  flags: Flags,
  context: CommandContext,
): Promise<number> {
  const { output, signal } = context;
  const folder = flags.into === undefined ? undefined : path.resolve(flags.into);
  requireCompatibleFlags(flags, folder);
  if (folder !== undefined && flags.update === true) return update(names, flags, context);
  const progress = progressFor(output);
  const stack = await stackFor(flags, folder);
  const exported = await exportStack({
    connection: await serverAccess(flags),
    kinds,
    only: names,
    split: folder === undefined ? "one" : (flags.split ?? "kind"),
    stack,
    forStack: folder === undefined ? undefined : await stackNameIn(folder),
    signal,
    progress: progress?.on,
  }).finally(() => progress?.clear());
  const { files: manifests } = exported;
  const isNewStack = folder !== undefined && stack !== undefined;
  const files = isNewStack ? [...manifests, ...ignoreFileFor(folder).files] : manifests;
  const result = { ...exported, files };
  reportDiagnostics(output, result.diagnostics);
  if (flags.into !== undefined)
    writeFiles(flags.into, files, { overwrite: flags.overwrite === true });
  output.result({
    text: () => (folder === undefined ? textOf(result) : summary(result, manifests.length, flags)),
    json: () => exportJson(result, folder !== undefined),
  });
  return exitCodes.done;
}

function requireCompatibleFlags(flags: Flags, folder: string | undefined): void {
  const { overwrite, split, update: updates, stack } = flags;
  if (folder === undefined && (overwrite === true || updates === true || split !== undefined)) {
    throw new Failure("usage", "--split, --overwrite and --update need a folder: pass --into");
  }
  const { var: texts, varJson, grant, grants } = flags;
  const reading = [texts, varJson, grant, grants];
  if (updates !== true && reading.some((one) => one !== undefined)) {
    throw new Failure(
      "usage",
      "manifest options need --update: export reads no manifests without it",
    );
  }
  if (updates !== true && flags.onlyDeclared === true) {
    throw new Failure("usage", "--only-declared needs --update");
  }
  if (updates === true && typeof stack === "string") {
    throw new Failure(
      "usage",
      "--stack cannot be combined with --update: the stack already has a name",
    );
  }
}

/** Updates the manifests of the stack in the folder. */
async function update(
  names: readonly string[],
  flags: Flags,
  context: CommandContext,
): Promise<number> {
  const paths = [flags.into ?? "."];
  const folder = path.resolve(flags.into ?? ".");
  const done = await runVerb({ paths, flags, context }, ({ options }) =>
    updateStack({
      ...options,
      only: names,
      split: flags.split ?? "kind",
      onlyDeclared: flags.onlyDeclared,
    }),
  );
  if (done === undefined) return exitCodes.failed;
  const { files, diagnostics } = done;
  for (const { path: file, text } of files) replaceFile(file, text);
  const shown = (file: string) => path.relative(process.cwd(), file);
  const seen = files.map((file) => shown(file.path));
  const shared = files.filter((file) => isOutside(folder, file.path));
  if (shared.length > 0) {
    const sharedNames = shared.map((file) => escapeInvisible(shown(file.path))).join(", ");
    context.output.warn(
      () =>
        `warning: updated outside ${escapeInvisible(flags.into ?? ".")}: ${sharedNames}; every stack that includes ${shared.length === 1 ? "it" : "them"} changes too`,
    );
  }
  context.output.result({
    text: (style) => updatedText(done, { files: seen, into: flags.into ?? "." }, style),
    json: () => updateJson(done, { files: seen, diagnostics }),
  });
  return exitCodes.done;
}

/** Returns whether a file is outside a folder. */
function isOutside(folder: string, file: string): boolean {
  const [first] = path.relative(folder, file).split(path.sep);
  return first === "..";
}

function updatedText(
  { changed, added }: UpdateResult,
  { files, into }: { readonly files: readonly string[]; readonly into: string },
  style: TextStyle,
): string {
  const fields = Object.entries(changed);
  return [
    ...fields.map(([at, paths]) => `updated ${at} ${paths.join(" ")}`),
    ...foldNames("added", added, style),
    ...files.map((file) => `wrote ${escapeInvisible(file)}`),
    `${pluralize(fields.length, "document")} updated and ${added.length} added in ${pluralize(files.length, "file")}.`,
    ...(added.length > 0 ? [addedNote(into)] : []),
  ].join("\n");
}

/** The next step after an update that added documents: nothing owns their objects yet. */
function addedNote(into: string): string {
  return (
    `The stack does not own the added objects. Adopt them with \`svc adopt ${shellQuote(into)}\`, ` +
    "or delete their documents and pass --only-declared."
  );
}

async function stackFor({ stack }: Flags, folder: string | undefined): Promise<string | undefined> {
  if (stack === false) return undefined;
  if (stack !== undefined) return stack;
  if (folder === undefined) return "exported";
  return (await hasStack(folder)) ? undefined : stackNameFor(folder);
}

function textOf({ files }: Export): string {
  return files.map(({ text }) => text).join("---\n");
}

/** The next step, once the exported documents have a Stack. */
function adoptNote({ into = "", stack }: Flags): string {
  const command = `\`svc adopt ${shellQuote(into)}\``;
  return stack === false
    ? `Write a Stack that includes the files, then adopt them with ${command}.`
    : `Adopt them with ${command}.`;
}

function summary({ files, declared, incomplete }: Export, manifests: number, flags: Flags): string {
  const { into = "" } = flags;
  return [
    ...files.map((file) => path.join(into, file.path)),
    `${pluralize(declared, "object")} in ${pluralize(manifests, "file")}${incomplete > 0 ? `, ${incomplete} more as comments` : ""}.`,
    ...(declared > 0 ? [adoptNote(flags)] : []),
  ].join("\n");
}
