// The messages between the compiler and its worker threads.
import type { CompileContext } from "./compile-context.ts";
import type { GeneratedModel } from "./generate-model.ts";
import type { CompiledModel, CompileReport, ModelFile } from "./types.ts";

/** A compilation. */
export interface CompileTask {
  readonly files: readonly ModelFile[];
  readonly withModel: boolean;
  /** Without it, an empty security context. */
  readonly context?: CompileContext;
}

/** Its result. */
export interface CompileAnswer {
  readonly report: CompileReport;
  /** Undefined if the model is invalid or was not requested. */
  readonly model: CompiledModel | undefined;
  /** Characters of the model of a context as JSON. */
  readonly modelLength: number;
}

/** The generation of a data model from the text of a manifest. */
export interface GenerateTask {
  readonly manifest: string;
}

/** Its result, or the reason why the manifest is refused. */
export type GenerateAnswer =
  | { readonly generated: GeneratedModel }
  | { readonly code: "invalid" | "limit_reached"; readonly message: string };
