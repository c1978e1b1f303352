// Tests that the next server of a data folder goes on at once with what a killed one was doing.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { startService } from "../support/test-service.ts";

it("ends the leases of a killed server, and makes scheduled jobs due", async () => {
  const data = mkdtempSync(join(tmpdir(), "svc-leases-"));
  const later = "9999-01-01T00:00:00.000Z";
  try {
    const killed = await startService({ data });
    const job = { payload: "{}", attempts: 0, job_key: "schedule", run_at: later };
    await killed.db
      .insertInto("jobs")
      .values([
        { ...job, name: "deliveries", leased_until: later },
        { ...job, name: "build", leased_until: null },
      ])
      .execute();
    await killed.close();
    const next = await startService({ data });
    const jobs = await next.db.selectFrom("jobs").select(["run_at", "leased_until"]).execute();
    await next.close();
    const now = new Date().toISOString();
    expect(jobs.map(({ run_at: at, leased_until: end }) => [at <= now, end])).toEqual([
      [true, null],
      [true, null],
    ]);
  } finally {
    rmSync(data, { recursive: true });
  }
});
