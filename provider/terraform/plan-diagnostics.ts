// Builds the errors and warnings of a plan of one resource.
import { membersOf } from "../../core/kind/fields.ts";
import type { Failure } from "../../core/errors.ts";
import { fingerprintVariable } from "../bridge/connect.ts";
import type { AttributeValues } from "./attribute-values.ts";
import { type Diagnostic, errorAt, warningAt } from "./diagnostics.ts";
import type { PlanInputs } from "./plan.ts";
import type { Attribute } from "./schema.ts";

/** Warns about references that the plan keeps: the engine skips an object without changes, whatever their values turn out to be. */
export function keptReferenceWarnings(kept: AttributeValues): readonly Diagnostic[] {
  return Object.entries(kept).map(([name, before]) =>
    warningAt(
      "A reference is not known before the apply",
      `The plan keeps ${name} = ${JSON.stringify(before)}, because another value would replace this object and nothing in this run is new that it could name. If it turns out to be another value, this apply changes nothing else of the object, and the next plan replaces it.`,
      name,
    ),
  );
}

/** Warns about the addresses of a replaced object, which its readers use. */
export function addressWarnings({
  kind,
  attributes,
  prior,
}: Pick<PlanInputs, "kind" | "attributes" | "prior">): readonly Diagnostic[] {
  const addresses = membersOf(kind.status).filter(({ traits }) => traits.publicAddress);
  return addresses.flatMap(({ name: field }) => {
    const { name = field } =
      attributes.find((one) => one.part === "status" && one.field === field) ?? {};
    const address = prior?.[name] ?? null;
    if (address === null) return [];
    const detail = `The replacement has another ${name} than ${JSON.stringify(address)}. What uses this address stops working.`;
    return [warningAt(`The address of this ${kind.name} changes`, detail)];
  });
}

/** Warns about the objects that the delete of an object takes along. */
export function contentsWarning(object: string, contents: string, isRefused: boolean): Diagnostic {
  const effect = isRefused
    ? "Unless this configuration deletes them first or the provider's allow_cascade is true, the apply fails and keeps them."
    : "They are deleted with it.";
  return warningAt(
    `${object} is deleted with what is inside`,
    `It contains ${contents}. ${effect}`,
  );
}

/** Warns that the objects that a delete takes along could not be listed. */
export function unknownContentsWarning(object: string, { message }: Failure): Diagnostic {
  return warningAt(
    `${object} is deleted with what is inside`,
    `What it contains is not known: ${message}.`,
  );
}

/** Warns about a secret whose fingerprint was made with another key. */
export function uncomparableSecretWarning({ name }: Attribute): Diagnostic {
  return warningAt(
    "Cannot detect changes of a secret",
    `The fingerprint of ${name} was made with another key, so a change of ${name} is not detected. Set ${name}_version to a new number to write it, or restore the key in ${fingerprintVariable}. If that is not set, the API key is the key.`,
    name,
  );
}

/** Returns an error for each secret that a create requires and the configuration omits. */
export function missingSecrets(
  { attributes }: Pick<PlanInputs, "attributes">,
  config: AttributeValues,
): readonly Diagnostic[] {
  return attributes
    .filter(({ requiredOnCreate, name }) => requiredOnCreate && (config[name] ?? null) === null)
    .map(({ name }) =>
      errorAt("Missing value", `${name} is required to create this resource.`, name),
    );
}
