// Imports of objects that the API does not show whole: what cannot be read is no difference while the engine imports, and is
// written by the update that follows.
import { isShown } from "../../core/fields.ts";
import type { Kind } from "../../core/kind.ts";
import { propertiesOf } from "./properties.ts";
import { unconfirmedFieldsIn } from "./state.ts";
import type { PropertyMap } from "./property-values.ts";

/** Why an import lacks a required field; continues a sentence whose subject is the property. */
export const notImportedReason =
  "is required, and the API does not show it, so it was not imported. Give it, and the next update writes it; or name it in ignoreChanges, and it stays as it is.";

/** What is said of properties that an import cannot compare. */
export function notComparedWarning(properties: readonly string[]): string {
  return `The API does not show ${properties.join(", ")}, so what is imported was not compared with the program there: the next update writes what the program says.`;
}

/** The fields that the API may not show and that these properties of an object lack. */
export function unreadableFieldsIn(kind: Kind, properties: PropertyMap): readonly string[] {
  return propertiesOf(kind)
    .inputs.filter(({ property, schema }) => !isShown(schema) && properties[property] === undefined)
    .map(({ name }) => name);
}

/** What an import compares, and the properties that it cannot. */
export interface ImportComparison<Field> {
  readonly fields: readonly Field[];
  readonly unreadable: readonly string[];
}

/** Of the differences between an object of this state, just read for an import, and the program, those that can be known. */
export function compareOnImport<
  Field extends { readonly field: string; readonly property: string },
>(fields: readonly Field[], state: PropertyMap): ImportComparison<Field> {
  const untold = unconfirmedFieldsIn(state);
  const unseen = fields.filter(({ field }) => untold.has(field));
  return {
    fields: fields.filter((one) => !unseen.includes(one)),
    unreadable: [...new Set(unseen.map(({ property }) => property))],
  };
}
