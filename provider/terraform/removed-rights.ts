// Decides about attributes that a configuration no longer has. Private state lists those that it had.
import { isDeepStrictEqual } from "node:util";
import { removalRefused, removedRights } from "../../core/spec/removed-rights.ts";
import type { PlanInputs } from "./plan.ts";
import { type AttributeValues, fromField, toInputs } from "./attribute-values.ts";
import { type Diagnostic, errorAt } from "./diagnostics.ts";

type Configured = Pick<PlanInputs, "kind" | "attributes" | "config" | "privateState">;

/** Returns the values that take the rights away, by attribute name. They count as configured. */
export function takenRights(configured: Configured): AttributeValues {
  const { taken } = removedFrom(configured);
  const entries = specAttributes(configured).flatMap(({ name, field, form }) =>
    Object.hasOwn(taken, field) ? [[name, fromField(form, taken[field])] as const] : [],
  );
  return Object.fromEntries(entries);
}

/** Returns an error for each attribute that must stay, because rights could grow without it. */
export function removedRightErrors(configured: Configured): readonly Diagnostic[] {
  const { refused } = removedFrom(configured);
  return specAttributes(configured)
    .filter(({ field }) => refused.includes(field))
    .map(({ name }) =>
      errorAt(
        "Rights could grow",
        `${name} ${removalRefused}. Keep it, or declare another resource without it.`,
        name,
      ),
    );
}

/** Returns the names of the attributes whose values stay on the server although the configuration no longer has them. */
export function keptAttributes(
  configured: Configured,
  { prior, planned }: { readonly prior: AttributeValues; readonly planned: AttributeValues },
): readonly string[] {
  const { config, privateState } = configured;
  const { refused } = removedFrom(configured);
  const held = privateState.configuredFields.filter((field) => !refused.includes(field));
  return specAttributes(configured)
    .filter(({ field, writeOnly }) => !writeOnly && held.includes(field))
    .map(({ name }) => name)
    .filter((name) => (config[name] ?? null) === null && (prior[name] ?? null) !== null)
    .filter((name) => isDeepStrictEqual(planned[name], prior[name]));
}

function removedFrom({ kind, attributes, config, privateState }: Configured) {
  const before = Object.fromEntries(privateState.configuredFields.map((field) => [field, true]));
  return removedRights(kind, before, toInputs(attributes, config).inputs);
}

function specAttributes({ attributes }: Configured) {
  return attributes.filter(({ part }) => part === "spec");
}
