// Assigns attribute values by name: resolved in one scope, checked against their definitions, stored for the user.
import { Failure } from "../../../core/errors.ts";
import { toJson } from "../../store/codec.ts";
import type { Db } from "../../store/schema.ts";
import { requireMatchingType, type Value } from "./types.ts";

/** A value in a request. `null` clears it, and an absent value keeps the stored one. */
interface ValueInput {
  readonly name: string;
  readonly value?: Value | null;
}

/** The values of one user. */
export interface Assignment {
  readonly userId: number;
  /** 0 for account-wide attributes, otherwise the id of the embed tenant. */
  readonly scope: number;
  readonly values: readonly ValueInput[];
}

interface Definition {
  readonly id: number;
  readonly name: string;
  readonly type: string;
}

/** Stores the values; other names keep theirs. Throws `invalid` for unknown names and for values of another type. */
export async function assignValues(db: Db, { userId, scope, values }: Assignment): Promise<void> {
  if (values.length === 0) return;
  const definitions = await definitionsOf(db, scope, values);
  const errors = values.flatMap(({ name }, at) => {
    const path = `body.userAttributes[${at}].name`;
    return definitions.has(name) ? [] : [{ path, message: `there is no attribute ${name}` }];
  });
  if (errors.length > 0) {
    throw new Failure("invalid", "User attributes not found", { details: { errors } });
  }
  const kept: { user_id: number; attribute_id: number; value: string }[] = [];
  const cleared: number[] = [];
  for (const { name, value } of values) {
    const definition = definitions.get(name);
    if (!definition || value === undefined) continue;
    if (value === null) cleared.push(definition.id);
    else {
      requireMatchingType(definition, value);
      kept.push({ user_id: userId, attribute_id: definition.id, value: toJson(value) });
    }
  }
  await store(db, kept);
  await clear(db, userId, cleared);
}

async function definitionsOf(
  db: Db,
  scope: number,
  values: readonly ValueInput[],
): Promise<ReadonlyMap<string, Definition>> {
  const names = values.map(({ name }) => name);
  const rows = await db
    .selectFrom("user_attributes")
    .select(["id", "name", "type"])
    .where("tenant_scope", "=", scope)
    .where("name", "in", names)
    .execute();
  return new Map(rows.map((row) => [row.name, row]));
}

async function store(
  db: Db,
  rows: readonly { user_id: number; attribute_id: number; value: string }[],
): Promise<void> {
  if (rows.length === 0) return;
  await db
    .insertInto("user_attribute_values")
    .values(rows)
    .onConflict((on) =>
      on
        .columns(["user_id", "attribute_id"])
        .doUpdateSet((eb) => ({ value: eb.ref("excluded.value") })),
    )
    .execute();
}

async function clear(db: Db, userId: number, attributes: readonly number[]): Promise<void> {
  if (attributes.length === 0) return;
  await db
    .deleteFrom("user_attribute_values")
    .where("user_id", "=", userId)
    .where("attribute_id", "in", attributes)
    .execute();
}
