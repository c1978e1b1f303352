// Tests that the next server of a data folder goes on at once with the mails of a killed one.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { startService } from "../support/test-service.ts";

it("ends the lease of the mails of a killed server, and makes their job due", async () => {
  const data = mkdtempSync(join(tmpdir(), "svc-leases-"));
  const later = "9999-01-01T00:00:00.000Z";
  try {
    const killed = await startService({ data });
    const job = { payload: "{}", attempts: 0, job_key: "schedule", run_at: later };
    await killed.db
      .insertInto("jobs")
      .values([
        { ...job, name: "deliveries", leased_until: later },
        { ...job, name: "build", leased_until: later },
      ])
      .execute();
    await killed.close();
    const next = await startService({ data });
    const jobs = await next.db
      .selectFrom("jobs")
      .select(["name", "run_at", "leased_until"])
      .orderBy("name", "desc")
      .execute();
    await next.close();
    const now = new Date().toISOString();
    expect(jobs.map(({ name, run_at: at, leased_until: end }) => [name, at <= now, end])).toEqual([
      ["deliveries", true, null],
      // Its lease is the pause before the next of few attempts.
      ["build", false, later],
    ]);
  } finally {
    rmSync(data, { recursive: true });
  }
});
