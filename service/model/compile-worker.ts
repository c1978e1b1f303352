// The worker thread of the compiler. It compiles data models, and generates them from manifests of transformation projects.
import { parentPort } from "node:worker_threads";
import { isFailure } from "../../core/errors.ts";
import { compileFiles } from "./compile.ts";
import { type GeneratedModel, generateModel } from "./generate-model.ts";
import type { CompileReport, CompiledModel, ModelFile } from "./types.ts";

/** A compilation. */
export interface CompileTask {
  readonly files: readonly ModelFile[];
  readonly withModel: boolean;
}

/** Its result. */
export interface CompileAnswer {
  readonly report: CompileReport;
  /** Undefined if the model is invalid or was not requested. */
  readonly model: CompiledModel | undefined;
}

/** The generation of a data model from the text of a manifest. */
export interface GenerateTask {
  readonly manifest: string;
}

/** Its result, or the reason why the manifest is refused. */
export type GenerateAnswer =
  | { readonly generated: GeneratedModel }
  | { readonly code: "invalid" | "limit_reached"; readonly message: string };

parentPort?.on("message", (task: CompileTask | GenerateTask) => {
  if ("manifest" in task) parentPort?.postMessage(generate(task));
  // A rejection ends the thread, and its error reaches the caller.
  else void compile(task).then((answer) => parentPort?.postMessage(answer));
});

/** Compiles a source. Sends the model, which can be larger than its files, only on request. */
async function compile({ files, withModel }: CompileTask): Promise<CompileAnswer> {
  const { model, ...found } = await compileFiles(files);
  const report: CompileReport = { ...found, valid: model !== undefined };
  return { report, model: withModel ? model : undefined };
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
