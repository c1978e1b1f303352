// Finds the fields that an import cannot read, because the API does not return them.
import { isShown } from "../../core/kind/fields.ts";
import type { Kind } from "../../core/kind/kind.ts";
import { propertiesOf } from "./properties.ts";
import type { PropertyMap } from "./property-values.ts";

/** Returns the fields that the API may not return and that these properties lack. */
export function unreadableFieldsIn(kind: Kind, properties: PropertyMap): readonly string[] {
  return propertiesOf(kind)
    .inputs.filter(({ property, schema }) => !isShown(schema) && properties[property] === undefined)
    .map(({ name }) => name);
}

/** Returns the warning about the fields that an import did not read. */
export function unreadableWarning(kind: Kind, fields: readonly string[]): string {
  const names = propertiesOf(kind)
    .inputs.filter(({ name }) => fields.includes(name))
    .map(({ property }) => property);
  return `The import did not read ${names.join(", ")}, because the API does not return it. Pulumi writes the value that the program sets. To keep the current value, leave the property out or add it to ignoreChanges.`;
}
