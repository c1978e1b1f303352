// Summarizes a plan in a form that all front ends can be compared with, and provides small changes of every kind.
import { kindsByName } from "../../core/kind/kind.ts";
import { fieldsOf } from "../../core/kind/fields.ts";
import { referencesOf } from "../../core/kind/references.ts";
import type { JsonObject } from "../../core/json.ts";
import { kinds } from "../../resources/index.ts";
import { examplesOf } from "./examples.ts";
import { everyKind } from "./every-kind.ts";
import type { Doc, TestStack } from "./test-stack.ts";

/** `create EmbedGroup/acme-viewers`, `update EmbedGroup/acme-viewers description`: a line for each field, sorted. */
export type PlanSummary = readonly string[];

/** Returns the plan of the reconciler. */
export async function planSummary(stack: TestStack): Promise<PlanSummary> {
  const { changes } = await stack.plan();
  const words = changes.flatMap(({ action, address, fields }) =>
    action === "create" || action === "delete"
      ? [`${action} ${address}`]
      : [...new Set(fields.map(({ field }) => `${action} ${address} ${field}`))],
  );
  return words.toSorted();
}

/**
 * Returns the documents with variations of one type: fields that change in place, or keys of leaves, which force
 * replacement.
 */
export function variedDocuments(sort: "update" | "replace"): readonly Doc[] {
  const parents = new Set(
    everyKind.flatMap(({ kind, spec }) => {
      const referring = kindsByName(kinds).get(kind);
      return referring === undefined ? [] : referencesOf(referring, spec).map((one) => one.kind);
    }),
  );
  return everyKind.map((doc) => {
    const kind = kindsByName(kinds).get(doc.kind);
    if (kind === undefined) return doc;
    const variations = examplesOf(kind).find(({ name }) => name === doc.name)?.variations ?? {};
    if (sort === "replace" && parents.has(kind.name)) return doc;
    const fields = fieldsOf(kind).filter(({ name, traits }) => {
      if (doc.spec[name] === undefined || traits.refersTo !== undefined) return false;
      if (sort === "replace") return traits.onChange === "replace";
      return traits.onChange === undefined && !kind.key.includes(name);
    });
    const values = fields.flatMap(({ name }) => {
      const value = variations[name];
      return value === undefined ? [] : [[name, value]];
    });
    return { ...doc, spec: { ...doc.spec, ...(Object.fromEntries(values) as JsonObject) } };
  });
}
