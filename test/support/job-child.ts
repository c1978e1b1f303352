// Runs the jobs of a server in a process that tests kill: begins the job `work` of the account, reports it, and never ends
// it.
import { startJobs } from "../../service/jobs/start.ts";
import { openStores } from "../../service/store/open.ts";

const [place = ""] = process.argv.slice(2);

// Polling for work does not keep the process alive.
setTimeout(() => process.exit(1), 60_000);

const stores = await openStores(place);
const { db } = await stores.open({});
const run = async (): Promise<void> => {
  process.stdout.write("begun\n");
  await new Promise((resolve) => setTimeout(resolve, 60_000));
};
const jobs = await startJobs(
  { database: stores.database, schema: "svc_jobs", accounts: new Map([["acme", db]]) },
  {
    jobs: [{ name: "work", attempts: 3, retrySeconds: 1, leaseSeconds: 1, run }],
    watch: {
      failed: (name, error) => void process.stderr.write(`${name}: ${String(error)}\n`),
      ended: () => undefined,
    },
    pollMs: 500,
  },
);
await jobs.enqueue({ account: "acme", name: "work", payload: { left: "behind" } });
