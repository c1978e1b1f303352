// The worker thread of the compiler. It sends the model, which can be larger than its files, only where it is asked for.
import { parentPort } from "node:worker_threads";
import { compileModel } from "./compile.ts";
import type { CompileReport, CompiledModel, ModelFile } from "./types.ts";

/** A compilation. */
export interface CompileTask {
  readonly files: readonly ModelFile[];
  readonly withModel: boolean;
}

/** Its result. */
export interface CompileAnswer {
  readonly report: CompileReport;
  /** Undefined if the model is invalid or not asked for. */
  readonly model: CompiledModel | undefined;
}

parentPort?.on("message", ({ files, withModel }: CompileTask) => {
  const { model, ...found } = compileModel(files);
  const report: CompileReport = { ...found, valid: model !== undefined };
  const answer: CompileAnswer = { report, model: withModel ? model : undefined };
  parentPort?.postMessage(answer);
});
