// The worker thread of the compiler. It compiles data models, and generates them from manifests of transformation projects.
import { parentPort } from "node:worker_threads";
import { isFailure } from "../../core/errors.ts";
import { compileFiles } from "../model/compile.ts";
import type {
  CompileAnswer,
  CompileTask,
  GenerateAnswer,
  GenerateTask,
} from "../model/compile-messages.ts";
import { generateModel } from "../model/generate-model.ts";
import type { CompileReport } from "../model/types.ts";
import { preAggregationUses } from "./plan-rollup.ts";

parentPort?.on("message", (task: CompileTask | GenerateTask) => {
  if ("manifest" in task) parentPort?.postMessage(generate(task));
  // A rejection ends the thread, and its error reaches the caller.
  else void compile(task).then((answer) => parentPort?.postMessage(answer));
});

/** Compiles a source. Sends the model, which can be larger than its files, only on request. */
async function compile({ files, withModel, context }: CompileTask): Promise<CompileAnswer> {
  const usesOf = preAggregationUses;
  const { model, ...found } = await compileFiles(files, { usesOf, ...(context && { context }) });
  const report: CompileReport = { ...found, valid: model !== undefined };
  const sent = withModel ? model : undefined;
  const modelLength = sent && context ? JSON.stringify(sent).length : 0;
  return { report, model: sent, modelLength };
}

function generate({ manifest }: GenerateTask): GenerateAnswer {
  try {
    return { generated: generateModel(manifest) };
  } catch (error) {
    // A failure loses its class on the way to the other thread.
    if (isFailure(error, "invalid")) return { code: "invalid", message: error.message };
    if (isFailure(error, "limit_reached")) return { code: "limit_reached", message: error.message };
    throw error;
  }
}
