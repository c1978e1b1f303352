// Tests a server that is killed during a job: another server, or the next one, runs the job again.
import { once } from "node:events";
import { afterEach, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { startJobs } from "../../service/jobs/start.ts";
import { spawnChild, svcProgram } from "../support/svc-program.ts";
import {
  createLastingDatabase,
  openTestDatabase,
  type TestDatabase,
} from "../support/test-database.ts";

// The first file that needs the programs bundles them, which takes longer than a test may.
beforeAll(() => svcProgram());

let place: TestDatabase;

beforeEach(async () => {
  place = await createLastingDatabase();
});
afterEach(async () => place.drop());

it("runs again, with its input, once its lease expires", async () => {
  const child = await spawnChild("job-child", [place.data]);
  const exit = once(child, "exit");
  await once(child.stdout, "data");
  child.kill("SIGKILL");
  await exit;
  const store = await openTestDatabase(place);
  const seen: unknown[] = [];
  const failures: unknown[] = [];
  const run = async (payload: unknown): Promise<void> => void seen.push(payload);
  const ground = {
    database: store.database,
    schema: "svc_jobs",
    accounts: new Map([["acme", store.db]]),
  };
  const jobs = await startJobs(ground, {
    jobs: [{ name: "work", attempts: 3, retrySeconds: 1, leaseSeconds: 1, run }],
    watch: { failed: (_, error) => failures.push(error), ended: () => undefined },
    pollMs: 500,
  });
  try {
    await vi.waitFor(() => expect(seen).toEqual([{ left: "behind" }]), {
      timeout: 18_000,
      interval: 50,
    });
    expect(failures).toEqual([]);
  } finally {
    await jobs.stop();
    await store.close();
  }
});
