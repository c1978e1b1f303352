// Loads the data models of builds: one for all callers, or one for each security context if the code of the model reads it.
import pLimit from "p-limit";
import { modelErrorText } from "../../core/data-model/model-error-text.ts";
import { Failure } from "../../core/errors.ts";
import { limits } from "../../core/limits/limits.ts";
import { createLruCache } from "../../core/lru-cache.ts";
import { memoizePerObject } from "../../core/memoize.ts";
import {
  type CompileContext,
  compileContextOf,
  type ContextOwner,
  noCompileContext,
} from "../model/compile-context.ts";
import { type ModelCompiler, tooManyFailure } from "../model/compiler.ts";
import type { CompiledModel, ModelError, ModelFile } from "../model/types.ts";
import { secretHash } from "../security/secret-hash.ts";

/** The files of a build, and who asks for its model. */
export interface BuildFiles {
  /** Identifies the files in this process. */
  readonly key: string;
  readonly read: () => Promise<readonly ModelFile[]>;
  readonly compiler: Pick<ModelCompiler, "load">;
  readonly caller: ContextOwner;
  /** Adds a line to the logs of the deployment. */
  readonly report: (message: string) => void;
}

/** Loads models. */
export interface BranchModels {
  /**
   * Returns the model of a build for a caller. Throws `invalid` if it does not compile for the security context of the caller, and
   * as {@link ModelCompiler.load}.
   */
  get(files: BuildFiles): Promise<CompiledModel>;
}

/** A model, or why there is none for a context, which stays so. */
type KeptModel =
  | { readonly model: CompiledModel; readonly length: number }
  | { readonly refusal: string; readonly length: 0 };

/** Creates a loader. It keeps the models that were used last. */
export function createBranchModels(): BranchModels {
  const models = createLruCache<CompiledModel>(limits.queryModels);
  const ofContexts = createLruCache<KeptModel>(limits.contextModels, {
    weightOf: ({ length }) => length,
    mostWeight: limits.contextModelsLength,
  });
  return {
    async get(files) {
      const model = await models.get(files.key, () => loadModel(files));
      if (model.readsContext !== true) return model;
      const context = compileContextOf(files.caller);
      if (context === noCompileContext) return model;
      const key = `${files.key} ${secretHash(context)}`;
      const kept = await ofContexts.get(key, () => loadForContext(files, context));
      if ("model" in kept) return kept.model;
      throw new Failure("invalid", kept.refusal);
    },
  };
}

async function loadModel({ read, compiler }: BuildFiles): Promise<CompiledModel> {
  const { model } = await compiler.load(await read());
  if (model) return model;
  throw new Failure("invalid", "the data model of the served build is no longer valid");
}

/** The turns of the contexts of an account, which has its own compiler: one compiles at a time, so that builds and checks go on. */
const turnsOf = memoizePerObject((_: BuildFiles["compiler"]) => pLimit(1));

async function loadForContext(
  { read, compiler, report }: BuildFiles,
  context: CompileContext,
): Promise<KeptModel> {
  const turns = turnsOf(compiler);
  if (turns.pendingCount >= limits.contextCompilesWaiting) throw tooManyFailure();
  const loaded = await turns(async () => compiler.load(await read(), context));
  const { model, modelLength, report: compiled } = loaded;
  if (model) return { model, length: modelLength };
  const [refusal, logged] = contextErrors(compiled.errors);
  report(logged);
  return { refusal, length: 0 };
}

/** Returns the text for the caller, who may not read the model, and the text for the logs. */
function contextErrors(errors: readonly ModelError[]): readonly [shown: string, logged: string] {
  const [{ fileName, line, column } = { fileName: "model", line: 1, column: 1 }] = errors;
  const shown = `the data model does not compile for the security context of the caller: error in ${fileName}:${line}:${column}; developers find it in the logs of the deployment`;
  const logged = errors.slice(0, limits.diagnosticsShown).map(modelErrorText).join("\n");
  return [shown, `the data model does not compile for a security context: ${logged}`];
}
