// Formats resource types, components and their fields as JSON.
import type { Component } from "../../core/kind/component.ts";
import type { Kind } from "../../core/kind/kind.ts";
import type { JsonObject } from "../../core/json.ts";
import type { ExplainResult } from "../verbs/explain.ts";
import { commandJson } from "./command-output-schema.ts";

/** Formats the list of `svc explain`. */
export function typeListJson(types: readonly (Kind | Component)[]): JsonObject {
  return commandJson("explain", {
    types: types.map((type) => ({
      kind: type.name,
      plural: "plural" in type ? type.plural : undefined,
      doc: type.doc,
    })),
  });
}

/** Formats an explanation. */
export function explainJson({ kind: type, field, fields: all }: ExplainResult): JsonObject {
  const fields = field === undefined ? all : [field];
  const { name: kind, doc } = type;
  if ("parts" in type) {
    const parts = type.parts.map((part) => ({
      name: part.name,
      kind: part.kind.name,
    }));
    return commandJson("explain TYPE", { kind, doc, parts, fields });
  }
  const { plural, key, cascades, unsupported, generatedSecret } = type;
  return commandJson("explain TYPE", {
    kind,
    plural,
    doc,
    key,
    cascades,
    unsupported,
    generatedSecret: generatedSecret && {
      name: generatedSecret.name,
      doc: generatedSecret.doc,
    },
    fields,
  });
}
