// Area users: who belongs to the account.
import { createUser, getCurrentUser, listUsers } from "../../../api/users.ts";
import { Failure, invariant } from "../../../core/errors.ts";
import { behave, behaveList, type Behaviour, present } from "../../area.ts";
import { pageOf } from "../../paging.ts";
import { flag, moment } from "../../store/codec.ts";
import { keyset } from "../../store/keyset.ts";
import type { Db, Row } from "../../store/schema.ts";
import { contains, own } from "../../store/search.ts";

/** What the operations of the area do. */
export const users: readonly Behaviour[] = [
  behaveList(listUsers, async (call) => {
    const { search } = call.query;
    let found = call.db.selectFrom("users").selectAll().where(own);
    if (search !== undefined) {
      const columns = ["email", "username", "display_name"];
      found = found.where((eb) => eb.or(columns.map((column) => contains(column, search))));
    }
    return pageOf(call, keyset(found, "users.id"), ({ id, email, display_name }) => ({
      id,
      email: email ?? "",
      ...present({ firstName: display_name }),
    }));
  }),
  behave(getCurrentUser, async ({ db, principal }) => showUser(await rowOf(db, principal.userId))),
  behave(createUser, async ({ db, body, now }) => {
    const { username, email, firstName = null, isAdmin } = body;
    await refuseTaken(db, username, email);
    const made = await db
      .insertInto("users")
      .values({
        username,
        email,
        email_key: email.toLowerCase(),
        display_name: firstName === "" ? null : firstName,
        is_admin: flag(isAdmin ?? false),
        is_external: flag(false),
        created_at: moment(now()),
      })
      .returningAll()
      .executeTakeFirstOrThrow();
    return showUser(made);
  }),
];

function showUser(row: Row<"users">) {
  return {
    id: row.id,
    email: row.email ?? "",
    username: row.username,
    isAdmin: row.is_admin === 1,
    ...present({ firstName: row.display_name, lastLogin: row.last_login }),
    createdAt: row.created_at,
  };
}

async function rowOf(db: Db, id: number): Promise<Row<"users">> {
  const row = await db.selectFrom("users").selectAll().where("id", "=", id).executeTakeFirst();
  invariant(row, "a credential without its user");
  return row;
}

/** Emails are compared without regard to case. */
async function refuseTaken(db: Db, username: string, email: string): Promise<void> {
  const among = db.selectFrom("users").select("id").where(own);
  if (await among.where("username", "=", username).executeTakeFirst()) {
    throw new Failure("conflict", `a user named ${JSON.stringify(username)} exists`);
  }
  if (await among.where("email_key", "=", email.toLowerCase()).executeTakeFirst()) {
    throw new Failure("conflict", `a user with the email ${JSON.stringify(email)} exists`);
  }
}
