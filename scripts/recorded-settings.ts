// The settings in requests that the service only records, from their declarations.
import type { TSchema } from "typebox";
import { membersOf } from "../core/kind/fields.ts";
import type { Operation } from "../core/operation/operation.ts";
import { variants, view } from "../core/schema/schema.ts";
import { recordedOnlyReason } from "../core/schema/traits.ts";

/** Returns the settings in requests that the service only records, each with the operations that set it. */
export function recordedSettings(operations: readonly Operation[]): readonly (readonly string[])[] {
  const found = operations.flatMap(({ id, body, effect }) =>
    effect === "write" && body ? recordedIn(body, "").map((one) => ({ id, ...one })) : [],
  );
  const rows = Map.groupBy(found, ({ path, reason }) => `${path} ${reason}`);
  return [...rows.values()].map((same) => [
    `\`${same[0]?.path}\``,
    same.map(({ id }) => `\`${id}\``).join(", "),
    same[0]?.reason ?? "",
  ]);
}

function recordedIn(
  schema: TSchema,
  prefix: string,
): readonly { readonly path: string; readonly reason: string }[] {
  return variants(schema).flatMap((one) => {
    const { items } = view(one);
    if (items !== undefined) return recordedIn(items, `${prefix}[]`);
    return membersOf(one).flatMap(({ name, schema: member }) => {
      const path = prefix === "" ? name : `${prefix}.${name}`;
      const reason = recordedOnlyReason(member);
      return reason === undefined ? recordedIn(member, path) : [{ path, reason }];
    });
  });
}
