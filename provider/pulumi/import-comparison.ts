// Compares an imported object with the program. Fields that the API does not return are skipped during the import; the next
// update writes them.
import { isShown } from "../../core/fields.ts";
import type { Kind } from "../../core/kind.ts";
import { propertiesOf } from "./properties.ts";
import { unconfirmedFieldsIn } from "./state.ts";
import type { PropertyMap } from "./property-values.ts";

/** Explains why an import lacks a required field. The text follows the name of the property. */
export const notImportedReason =
  "is required but was not imported, because the API does not return it. Set it, and the next update writes it; or add it to ignoreChanges to keep the current value.";

/** Returns the warning about properties that an import cannot compare. */
export function notComparedWarning(properties: readonly string[]): string {
  return `The import did not compare ${properties.join(", ")}, because the API does not return it. The next update writes the value in the program.`;
}

/** Returns the fields that the API may not return and that these properties lack. */
export function unreadableFieldsIn(kind: Kind, properties: PropertyMap): readonly string[] {
  return propertiesOf(kind)
    .inputs.filter(({ property, schema }) => !isShown(schema) && properties[property] === undefined)
    .map(({ name }) => name);
}

/** The differences that an import can see, and the properties that it cannot compare. */
export interface ImportComparison<Field> {
  readonly fields: readonly Field[];
  readonly unreadable: readonly string[];
}

/** Splits the differences between an imported object and the program into known ones and unreadable properties. */
export function compareOnImport<
  Field extends { readonly field: string; readonly property: string },
>(fields: readonly Field[], state: PropertyMap): ImportComparison<Field> {
  const unconfirmed = unconfirmedFieldsIn(state);
  const unreadable = fields.filter(({ field }) => unconfirmed.has(field));
  return {
    fields: fields.filter((one) => !unreadable.includes(one)),
    unreadable: [...new Set(unreadable.map(({ property }) => property))],
  };
}
