// Area users: who belongs to the account.
import { statusOf } from "../../../api/problems.ts";
import {
  bulkUsers,
  createUser,
  deleteUser,
  getCurrentUser,
  getUser,
  listUsers,
  setUserGroups,
  updateUser,
} from "../../../api/users.ts";
import { Failure } from "../../../core/errors.ts";
import type { RequestOf } from "../../../core/operation.ts";
import { behave, behaveList, type Behaviour, type Call } from "../../area.ts";
import { pageOfMany } from "../../paging.ts";
import { moment } from "../../store/codec.ts";
import { keyset } from "../../store/keyset.ts";
import { contains } from "../../store/search.ts";
import { replaceMemberships } from "../embed-tenants/memberships.ts";
import { accountWide } from "../user-groups/groups.ts";
import { guardChange, guardDelete } from "./guards.ts";
import {
  changeUser,
  dropUser,
  findUser,
  makeUser,
  nameUser,
  selectUsers,
  showUser,
  showUsers,
} from "./users.ts";

/** What the operations of the area do. */
export const users: readonly Behaviour[] = [
  behaveList(listUsers, async (call) => {
    const { search } = call.query;
    let found = selectUsers(call.db);
    if (search !== undefined) {
      const columns = ["email", "username", "display_name"];
      found = found.where((eb) => eb.or(columns.map((column) => contains(column, search))));
    }
    return pageOfMany(call, keyset(found, "users.id"), async (rows) =>
      call.principal.isAdmin ? showUsers(call.db, rows) : rows.map(nameUser),
    );
  }),
  behave(getCurrentUser, async ({ db, principal }) => {
    const mine = db.selectFrom("users").selectAll().where("id", "=", principal.userId);
    const [shown] = await showUsers(db, await mine.execute());
    if (shown) return shown;
    throw new Failure("not_found", "the user behind this credential is gone");
  }),
  behave(getUser, async ({ db, params }) => showUser(db, params.id)),
  behave(createUser, async ({ db, body, now }) =>
    showUser(db, await makeUser(db, body, moment(now()))),
  ),
  behave(updateUser, async (call) => {
    await change(call, call.params.id, call.body);
    return showUser(call.db, call.params.id);
  }),
  behave(deleteUser, async (call) => remove(call, call.params.id)),
  behave(bulkUsers, async (call) => bulk(call)),
  behave(setUserGroups, async ({ db, params, body }) => {
    await findUser(db, params.id);
    const names = body.groups;
    await replaceMemberships(db, { userId: params.id, scope: accountWide, names });
    return showUser(db, params.id);
  }),
];

type By = Pick<Call, "db" | "principal" | "now">;

async function change(
  { db, principal, now }: By,
  id: number,
  wish: RequestOf<typeof updateUser>["body"],
): Promise<void> {
  const user = await findUser(db, id);
  await guardChange(db, { callerId: principal.userId, user, becomes: wish });
  await changeUser(db, id, { wish, at: moment(now()) });
}

async function remove({ db, principal }: By, id: number): Promise<void> {
  const user = await findUser(db, id);
  await guardDelete(db, { callerId: principal.userId, user });
  await dropUser(db, id);
}

const deeds = {
  ACTIVATE: (by: By, id: number) => change(by, id, { isDeactivated: false }),
  DEACTIVATE: (by: By, id: number) => change(by, id, { isDeactivated: true }),
  DELETE: remove,
} as const;

/** Each in turn; a refusal comes before anything is written of the one that it is about. */
async function bulk(call: By & { body: RequestOf<typeof bulkUsers>["body"] }) {
  const { action, userIds } = call.body;
  const succeeded: number[] = [];
  const failed: { userId: number; error: { status: number; message: string } }[] = [];
  for (const userId of new Set(userIds)) {
    try {
      await deeds[action](call, userId);
      succeeded.push(userId);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      failed.push({ userId, error: { status: statusOf(error.code), message: error.message } });
    }
  }
  return { action, succeeded, failed };
}
