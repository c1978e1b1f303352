// Builds of data models end after the response that starts them, and change the store.
import { setTimeout as sleep } from "node:timers/promises";
import type { Db } from "../../service/store/schema.ts";

const attempts = 1000;
const pauseMs = 10;

/** Waits until no build is queued or runs. Fails after ten seconds. */
export async function finishedBuilds(db: Db): Promise<void> {
  for (let attempt = 0; attempt < attempts; attempt++) {
    const open = await db
      .selectFrom("builds")
      .select("id")
      .where("status", "in", ["queued", "building"])
      .limit(1)
      .executeTakeFirst();
    if (open === undefined) return;
    await sleep(pauseMs);
  }
  throw new Error("a build did not end within 10 seconds");
}
