// Builds of data models and syncs of transformation projects end after the response that starts them, and change the store.
import { setTimeout as sleep } from "node:timers/promises";
import type { Db } from "../../service/store/schema.ts";

const attempts = 1000;
const pauseMs = 10;

/** The end of the lease of a sync that no server runs. */
export const heldUntil = "2099-01-01T00:00:00.000Z";

/** Waits until no build is queued or runs. Fails after ten seconds. */
export async function finishedBuilds(db: Db): Promise<void> {
  await finished("build", () =>
    db
      .selectFrom("builds")
      .select("id")
      .where("status", "in", ["queued", "building"])
      .limit(1)
      .executeTakeFirst(),
  );
}

/** Waits until no sync waits or runs, except those with a lease until {@link heldUntil}. Fails after ten seconds. */
export async function finishedSyncs(db: Db): Promise<void> {
  await finished("sync", () =>
    db
      .selectFrom("sync_runs")
      .select("id")
      .where("status", "=", "RUNNING")
      .where((eb) => eb.or([eb("leased_until", "is", null), eb("leased_until", "<", heldUntil)]))
      .limit(1)
      .executeTakeFirst(),
  );
}

async function finished(what: string, findOpen: () => Promise<object | undefined>): Promise<void> {
  for (let attempt = 0; attempt < attempts; attempt++) {
    if ((await findOpen()) === undefined) return;
    await sleep(pauseMs);
  }
  throw new Error(`a ${what} did not end within 10 seconds`);
}
