// Runs `svc stacks`: lists the stacks below folders, or those that commits changed.
import path from "node:path";
import { commandJson } from "../../reconciler/report/command-output-schema.ts";
import { changedFiles } from "../../reconciler/operator/changed-files.ts";
import { listStacks, stacksOf } from "../../reconciler/verbs/list-stacks.ts";
import { exitCodes } from "../shared/exit-codes.ts";
import type { OutputFlags } from "../shared/output/output-options.ts";
import { loadOptions } from "../shared/options/load-options.ts";
import type { StackFlags } from "../shared/options/stack-options.ts";
import { runAction } from "../shared/run/run-action.ts";
import { reportDiagnostics, reportInvalidManifests } from "../shared/run/verb.ts";

export interface Flags extends StackFlags, OutputFlags {
  readonly changedSince?: string;
}

/** Runs `svc stacks`. */
export function runStackList(folders: readonly string[], flags: Flags): Promise<void> {
  return runAction(flags, async ({ output }) => {
    const options = loadOptions(folders, flags);
    const { stacks, diagnostics } = await listStacks({ ...options, purpose: "check" });
    if (diagnostics.some(({ severity }) => severity === "error"))
      return reportInvalidManifests(output, diagnostics);
    reportDiagnostics(output, diagnostics);
    const { changedSince: revision } = flags;
    const changed = revision && (await changedFiles(options.cwd, revision, process.env));
    const listed = changed ? stacksOf(stacks, changed.files) : stacks;
    const shown = (place: string): string => {
      const relative = path.relative(options.cwd, place) || ".";
      // Another command must not read it as an option.
      return relative.startsWith("-") ? `./${relative}` : relative;
    };
    for (const file of changed ? changed.deletedStacks : [])
      output.warn(() => `${shown(file)} was deleted: what its stack owns is still on the server`);
    output.result({
      text: () => listed.map(({ folder }) => shown(folder)).join("\n"),
      json: () =>
        commandJson("stacks", {
          stacks: listed.map(({ folder, name }) => ({
            folder: shown(folder),
            ...(name !== undefined && { name }),
          })),
        }),
    });
    return exitCodes.done;
  });
}
