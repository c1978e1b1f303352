// Runs `svc init`: writes the skeleton of a stack, or of a base with environments.
import { commandJson } from "../../reconciler/report/command-output-schema.ts";
import path from "node:path";
import { componentBodies, manifestSchema } from "../../core/kind/json-schema.ts";
import { pipelineSchema } from "../../promotion/pipeline-schema.ts";
import type { CiSystem } from "../../reconciler/export/ci-recipe.ts";
import { type InitResult, initStack, type Starter } from "../../reconciler/export/init.ts";
import { removedSchema } from "../../reconciler/manifest/removed.ts";
import { stackSchema } from "../../reconciler/manifest/stack.ts";
import { shellQuote } from "../../core/text/shell-quote.ts";
import { components, kinds, starterKind } from "../../resources/index.ts";
import { exitCodes } from "../shared/exit-codes.ts";
import type { OutputFlags } from "../shared/output/output-options.ts";
import { runAction } from "../shared/run/run-action.ts";

export interface Flags extends OutputFlags {
  readonly name?: string;
  readonly starter: Starter;
  readonly ci?: CiSystem;
  readonly vscode?: true;
}

/** Runs `svc init`. */
export function runInit(folder: string, flags: Flags, version: string): Promise<void> {
  return runAction(flags, async ({ output }) => {
    const result = await initStack({
      folder,
      name: flags.name,
      starter: flags.starter,
      ci: flags.ci && { system: flags.ci, version },
      vscode: flags.vscode,
      example: starterKind,
      schema: manifestSchema(kinds, {
        ...componentBodies(components),
        Stack: stackSchema,
        Removed: removedSchema,
        Pipeline: pipelineSchema,
      }),
    });
    output.result({
      text: () => initText(folder, result),
      json: () => commandJson("init", result),
    });
    return exitCodes.done;
  });
}

function initText(
  folder: string,
  { stack, stackFolders, needsRepository, files, missingIgnores }: InitResult,
): string {
  const folders = stackFolders.map((one) => path.join(folder, one)).filter((one) => one !== ".");
  const place = folders.map((one) => ` ${shellQuote(one)}`).join("");
  const repository = needsRepository ? [`  git init ${shellQuote(folder)}`] : [];
  const ignores =
    missingIgnores.length === 0 ? [] : [`Add to .gitignore: ${missingIgnores.join(" ")}`, ""];
  return [
    `Wrote stack ${stack}: ${files.map((file) => path.join(folder, file)).join(", ")}`,
    "",
    ...ignores,
    "Next:",
    ...repository,
    `  svc lint${place}`,
    "",
    "After `svc login`, or with SVC_API_URL and SVC_API_KEY set:",
    `  svc plan${place}`,
    `  svc apply${place}`,
  ].join("\n");
}
