// Measures a plan without changes over 10,000 groups, against only reading the same pages and parsing the same manifests.
import { readFile } from "node:fs/promises";
import { parseAllDocuments } from "yaml";
import { loadStack } from "../reconciler/manifest/load.ts";
import { compareSession } from "../reconciler/plan.ts";
import { openSession, type Session } from "../reconciler/verbs/session.ts";
import { bareClient, readAll } from "./bare-client.ts";
import { printTable, formatMs, formatFactor } from "./report.ts";
import { cpuMs, median, medianRatio, interleavedRounds } from "./interleaved-rounds.ts";
import { type BenchStack, unwrapVerdict, makeStack } from "./stack.ts";
import { serve, type Served } from "./server.ts";

const groups = 10_000;
const count = 5;

/** Runs it for one tenant, and spread over ten. */
export async function planBench(): Promise<void> {
  const server = await serve();
  try {
    for (const tenants of [1, 10]) await measure(server, tenants);
  } finally {
    await server.stop();
  }
}

async function measure(server: Served, tenants: number): Promise<void> {
  const stack = await makeStack(server, `plan-of-${tenants}`, { tenants, groups });
  await stack.apply();
  const { session } = unwrapVerdict(await openSession(stack.options));
  const bare = bareClient(server);
  try {
    const before = bare.calls();
    await readGroups(bare, stack);
    const floorCalls = bare.calls() - before;
    let planCalls = 0;
    const took = await interleavedRounds(count, {
      bare: () => cpuMs(() => readGroups(bare, stack)),
      yaml: () => cpuMs(() => parseGroups(stack)),
      load: () => cpuMs(() => loadManifests(stack)),
      warm: async () => {
        const callsBefore = session.client.stats.calls;
        const ms = await cpuMs(() => planWithSession(session, stack));
        planCalls = session.client.stats.calls - callsBefore;
        return ms;
      },
      whole: () => cpuMs(async () => assertEmptyPlan(await stack.plan())),
    });
    const both = took.bare.map((one, round) => one + (took.yaml[round] ?? NaN));
    const row = (name: string, calls: string, of: Timed): readonly string[] => [
      name,
      calls,
      formatMs(median(of.took)),
      formatFactor(medianRatio(of.took, of.floor)),
    ];
    printTable(
      `CPU of a no-op plan of ${groups} groups in ${tenants} embed tenant(s), ${count} rounds`,
      [
        ["", "calls", "median", "to its floor"],
        row("pages, bare: undici reads the groups", `${floorCalls}`, sameBaseline(took.bare)),
        row("manifests, bare: yaml parses the file", "0", sameBaseline(took.yaml)),
        row("plan without loading manifests, to the pages", `${planCalls}`, {
          took: took.warm,
          floor: took.bare,
        }),
        row("loading manifests, to the bare manifests", "0", { took: took.load, floor: took.yaml }),
        row("plan, from files to result, to both", `${planCalls} + 1`, {
          took: took.whole,
          floor: both,
        }),
        row("the same, to the pages", "", { took: took.whole, floor: took.bare }),
      ],
    );
  } finally {
    await bare.close();
    await session[Symbol.asyncDispose]();
    await stack.remove();
  }
}

/** Milliseconds of each round, and of the baseline. */
interface Timed {
  readonly took: readonly number[];
  readonly floor: readonly number[];
}

function sameBaseline(took: readonly number[]): Timed {
  return { took, floor: took };
}

/** Parses documents without their places and errors: the minimum for any program that needs only the values. */
async function parseGroups({ groupsFile }: BenchStack): Promise<void> {
  const documents = parseAllDocuments(await readFile(groupsFile, "utf8"));
  const found = documents.filter((document) => "spec" in document.toJS()).length;
  if (found <= groups) throw new Error(`${found} documents were parsed`);
}

async function readGroups(
  bare: ReturnType<typeof bareClient>,
  { tenantNames }: BenchStack,
): Promise<void> {
  const lists = await Promise.all(
    tenantNames.map((name) => readAll(bare, `/api/v1/embed-tenants/${name}/groups`)),
  );
  const found = lists.reduce((sum, list) => sum + list.length, 0);
  if (found !== groups) throw new Error(`${found} groups were read`);
}

async function loadManifests({ options }: BenchStack): Promise<void> {
  const { desired, diagnostics } = await loadStack(options);
  if (desired === undefined) throw new Error(JSON.stringify(diagnostics[0]));
}

async function planWithSession(session: Session, { options }: BenchStack): Promise<void> {
  assertEmptyPlan(unwrapVerdict(await compareSession(session, options)).plan);
}

function assertEmptyPlan({ changes }: { readonly changes: readonly unknown[] }): void {
  if (changes.length > 0) throw new Error(`the plan has ${changes.length} changes`);
}
