// A Deployment's part about the customer's own storage, with every member that the API has for it.
import { type Static, type TOptional, type TSchema, type TString, Type } from "typebox";
import { CustomerStorage } from "../api/deployments.ts";
import { variants, view } from "../core/schema.ts";
import { field } from "../core/traits.ts";

const { enabled: _enabled, storageProvider, ...members } = CustomerStorage.properties;

type Texts = Record<
  Exclude<keyof Static<typeof CustomerStorage>, "enabled" | "storageProvider">,
  TOptional<TString>
>;

/** What the clouds want to know: texts, as long as the API takes them and described in its words. */
const texts = Object.fromEntries(
  Object.entries(members).map(([name, schema]) => [name, textOf(schema)]),
) as Texts;

/** The whole part: it is used or not, whose it is, and what that one's cloud wants to know. */
export const customerStorage = Type.Object(
  {
    enabled: field(Type.Boolean(), { doc: "It is used." }),
    storageProvider: field(Type.String({ minLength: 1, maxLength: maxLengthOf(storageProvider) }), {
      doc: "Whose storage it is.",
    }),
    ...texts,
  },
  { additionalProperties: false },
);

/** The API takes an empty text and `null`, which mean nothing here. */
function textOf(schema: TSchema): TOptional<TString> {
  const text = Type.String({ minLength: 1, maxLength: maxLengthOf(schema) });
  const { description = "" } = view(schema);
  return Type.Optional(field(text, { doc: description, neverCleared: true }));
}

function maxLengthOf(schema: TSchema): number {
  return Math.max(...variants(schema).map((one) => view(one).maxLength ?? 0));
}
