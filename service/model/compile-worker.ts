// The worker thread of the compiler. It sends only the report of a model: the model can be larger than its files.
import { parentPort } from "node:worker_threads";
import { compileModel } from "./compile.ts";
import type { CompileReport, ModelFile } from "./types.ts";

parentPort?.on("message", (files: readonly ModelFile[]) => {
  const { model, ...found } = compileModel(files);
  const report: CompileReport = { ...found, valid: model !== undefined };
  parentPort?.postMessage(report);
});
