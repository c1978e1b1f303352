// The `cspsConfig` field of Deployment: customer-provided storage, derived from the API's schema.
import { type Static, type TOptional, type TSchema, type TString, Type } from "typebox";
import { CustomerStorage } from "../api/deployments.ts";
import { variants, view } from "../core/schema/schema.ts";
import { field } from "../core/schema/traits.ts";

const { enabled: _enabled, storageProvider, ...members } = CustomerStorage.properties;

type Texts = Record<
  Exclude<keyof Static<typeof CustomerStorage>, "enabled" | "storageProvider">,
  TOptional<TString>
>;

/** Fields of the storage providers, with the API's maximum lengths and descriptions. */
const texts = Object.fromEntries(
  Object.entries(members).map(([name, schema]) => [name, textOf(schema)]),
) as Texts;

/** The schema of customer-provided storage. */
export const customerStorage = Type.Object(
  {
    enabled: field(Type.Boolean(), { doc: "Whether the storage is used." }),
    storageProvider: field(Type.String({ minLength: 1, maxLength: maxLengthOf(storageProvider) }), {
      doc: "Storage provider.",
    }),
    ...texts,
  },
  { additionalProperties: false },
);

/** Returns the schema of one text field, without the empty string and `null` that the API accepts. */
function textOf(schema: TSchema): TOptional<TString> {
  const text = Type.String({ minLength: 1, maxLength: maxLengthOf(schema) });
  const { description = "" } = view(schema);
  return Type.Optional(field(text, { doc: description, neverCleared: true }));
}

function maxLengthOf(schema: TSchema): number {
  return Math.max(...variants(schema).map((one) => view(one).maxLength ?? 0));
}
