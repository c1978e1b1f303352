// The worker thread of one compilation.
import { parentPort, workerData } from "node:worker_threads";
import { compileModel } from "./compile.ts";
import type { ModelFile } from "./types.ts";

parentPort?.postMessage(compileModel(workerData as readonly ModelFile[]));
