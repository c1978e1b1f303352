// The worker thread of one compilation. It sends only the report: the model can be larger than its files.
import { parentPort, workerData } from "node:worker_threads";
import { compileModel } from "./compile.ts";
import type { CompileReport, ModelFile } from "./types.ts";

const { model, ...found } = compileModel(workerData as readonly ModelFile[]);
const report: CompileReport = { ...found, valid: model !== undefined };
parentPort?.postMessage(report);
