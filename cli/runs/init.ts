// Runs `svc init`: writes the skeleton of a stack.
import path from "node:path";
import { manifestSchema } from "../../core/json-schema.ts";
import { pipelineSchema } from "../../promotion/pipeline.ts";
import { type InitResult, initStack } from "../../reconciler/export/init.ts";
import { removedSchema } from "../../reconciler/manifest/removed.ts";
import { stackSchema } from "../../reconciler/manifest/stack.ts";
import { shellQuote } from "../../core/shell-quote.ts";
import { kinds, starterKind } from "../../resources/index.ts";
import { exitCodes } from "../shared/exit-codes.ts";
import type { OutputFlags } from "../shared/output-options.ts";
import { runAction } from "../shared/run-action.ts";

export interface Flags extends OutputFlags {
  readonly name?: string;
}

/** Runs `svc init`. */
export function runInit(folder: string, flags: Flags): Promise<void> {
  return runAction(flags, async ({ output }) => {
    const result = await initStack({
      folder: path.resolve(folder),
      name: flags.name,
      example: starterKind,
      schema: manifestSchema(kinds, {
        Stack: stackSchema,
        Removed: removedSchema,
        Pipeline: pipelineSchema,
      }),
    });
    output.result({ text: () => initText(folder, result), json: () => ({ ...result }) });
    return exitCodes.done;
  });
}

function initText(folder: string, { stack, files, missingIgnores }: InitResult): string {
  const place = folder === "." ? "" : ` ${shellQuote(folder)}`;
  const ignores =
    missingIgnores.length === 0 ? [] : [`Add to .gitignore: ${missingIgnores.join(" ")}`, ""];
  return [
    `Wrote stack ${stack}: ${files.map((file) => path.join(folder, file)).join(", ")}`,
    "",
    ...ignores,
    "Next, with SVC_API_URL and SVC_API_KEY set:",
    `  svc lint${place}`,
    `  svc plan${place}`,
    `  svc apply${place}`,
  ].join("\n");
}
