// Measures how plans with cascading deletes grow: groups with one member each.
import { countCascaded } from "../reconciler/engine/cascade.ts";
import { adopt, plan } from "../reconciler/verbs/verbs.ts";
import type { GrowthScene } from "./growth-rate.ts";
import { type GrowthFixture, openFixture, seed } from "./growth-stacks.ts";
import { unwrapVerdict } from "./stack.ts";

const prefix = "group";
const insertBatch = 100;

/** Plans the deletes of all groups of a stack; each group has a member whose membership no stack owns. */
export const cascadeScene: GrowthScene = {
  title: "Cascades",
  size: 150,
  open: async (size) => {
    const fixture = await openFixture("file");
    await seed(fixture, size, prefix);
    await addMembers(fixture, size);
    await fixture.write(size, prefix);
    unwrapVerdict(await adopt(fixture.options));
    await fixture.write(1, "kept");
    return {
      steps: [
        {
          name: "plan of deletes that cascade",
          run: async () => {
            const { changes } = unwrapVerdict(await plan(fixture.options)).plan;
            const cascaded = countCascaded(changes);
            if (cascaded !== size) throw new Error(`${cascaded} memberships cascade`);
          },
        },
      ],
      close: () => fixture.close(),
    };
  },
};

/** Adds a user to each group, in the store: through the API that would take most of the time. */
async function addMembers({ server: { db } }: GrowthFixture, size: number): Promise<void> {
  const created_at = new Date().toISOString();
  const groups = await db.selectFrom("user_groups").select(["id", "name"]).execute();
  const members = groups.filter(({ name }) => name.startsWith(`${prefix}-`));
  if (members.length !== size) throw new Error(`${members.length} groups`);
  for (let from = 0; from < size; from += insertBatch) {
    const batch = members.slice(from, from + insertBatch);
    const users = batch.map(({ name: username }) => {
      const email = `${username}@example.com`;
      const keys = { name_key: username, email_key: email };
      return { username, email, ...keys, is_admin: 0, is_external: 0, created_at };
    });
    const added = await db.insertInto("users").values(users).returning("id").execute();
    const rows = batch.map(({ id }, at) => ({ group_id: id, user_id: added[at]?.id ?? NaN }));
    await db.insertInto("group_members").values(rows).execute();
  }
}
