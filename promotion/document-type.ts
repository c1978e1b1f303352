// The Pipeline document type, for the loader of manifests. Every front end that reads stacks passes it.
import type { ExtensionDocument } from "../reconciler/document-types.ts";
import { ungrantedCommands } from "./check-commands.ts";
import { type Pipeline, readPipeline } from "./pipeline.ts";
import { selectionErrors } from "./selection.ts";
import type { DesiredState, DocumentType } from "../reconciler/index.ts";

/** The document type Pipeline. */
export const pipelineDocumentType: DocumentType = {
  kind: "Pipeline",
  read(document, scope) {
    const { pipeline, partial, diagnostics } = readPipeline(document, scope);
    const warnings = pipeline === undefined ? [] : ungrantedCommands(pipeline, scope);
    return { document: pipeline, partial, diagnostics: [...diagnostics, ...warnings] };
  },
  check: (documents, objects) => selectionErrors(documents.filter(isPipeline), objects),
};

/** Returns the pipelines of a stack. */
export function pipelinesOf({
  extensions = [],
}: Pick<DesiredState, "extensions">): readonly Pipeline[] {
  return extensions.filter(isPipeline);
}

/** Adds the type to the options of a load. */
export function withPipelines<Options extends object>(
  options: Options,
): Options & { readonly documentTypes: readonly DocumentType[] } {
  return { ...options, documentTypes: [pipelineDocumentType] };
}

function isPipeline(document: ExtensionDocument): document is Pipeline {
  return document.kind === "Pipeline";
}
