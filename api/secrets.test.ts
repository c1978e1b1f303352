// Secrets in the answers of read operations.
import type { TSchema } from "typebox";
import { expect, it } from "vitest";
import { membersOf } from "../core/kind/fields.ts";
import { typesOf, variants, view } from "../core/schema/schema.ts";
import { traitsOf } from "../core/schema/traits.ts";
import { operations } from "./index.ts";

/** Names of members that hold a secret, unless they only describe one, as `tokenUrl` and `accessTokenExpiresAt` do. */
const secretName = /(?:pass|secret|token|key|credential)s?$/iu;

/** Texts with such a name that are not secret. */
const shownTexts = ["getCurrentUser.credential", "listAuditLogs.credential"];

it("each read operation declares the secrets of its answer as sensitive, so that commands hide them", () => {
  const undeclared = operations
    .filter(({ effect }) => effect === "read")
    .flatMap(({ id, answer: { schema } }) =>
      schema === undefined ? [] : secretTexts(schema, id, []),
    );
  expect(undeclared.filter((place) => !shownTexts.includes(place))).toEqual([]);
});

/** Returns the places of texts that are named as secrets and not declared as such. */
function secretTexts(schema: TSchema, place: string, above: readonly TSchema[]): string[] {
  if (traitsOf(schema).sensitive === true || above.includes(schema)) return [];
  const inside = [...above, schema];
  return variants(schema).flatMap((variant) => {
    const { items } = view(variant);
    const ofItems = items === undefined ? [] : secretTexts(items, place, inside);
    const ofMembers = membersOf(variant).flatMap(({ name, schema: member }) => {
      const isText = variants(member).some((one) => typesOf(one).includes("string"));
      const isSensitive = variants(member).some((one) => traitsOf(one).sensitive === true);
      if (isSensitive || traitsOf(member).sensitive === true) return [];
      const at = `${place}.${name}`;
      return isText && secretName.test(name) ? [at] : secretTexts(member, at, inside);
    });
    return [...ofItems, ...ofMembers];
  });
}
