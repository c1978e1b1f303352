// CPU of the service for one request, against a bare Fastify route with the same response.
import { readdirSync, readFileSync } from "node:fs";
import { Pool, type Dispatcher } from "undici";
import { interleavedRounds, median, medianRatio } from "./interleaved-rounds.ts";
import { formatFactor, printTable } from "./report.ts";
import { serve, serveBare, type Served } from "./server.ts";

const connections = 16;
const requests = 3000;
const rounds = 5;

interface RequestCase {
  readonly name: string;
  readonly aim: number;
  readonly ours: Dispatcher.DispatchOptions;
  readonly bare: Dispatcher.DispatchOptions;
}

/** Sends the same load to both servers in turn, and compares the CPU that each used. */
export async function requestsBench(): Promise<void> {
  const [ours, bare] = [await serve(), await serveBare()];
  try {
    const cases = await requestCases(ours);
    const rows: (readonly string[])[] = [["", "bare", "service", "to bare", "aim"]];
    for (const one of cases) {
      const used = await interleavedRounds(rounds, {
        ours: () => cpuOf(ours, one.ours),
        bare: () => cpuOf(bare, one.bare),
      });
      const factor = medianRatio(used.ours, used.bare);
      const micro = (all: readonly number[]): string => `${median(all).toFixed(0)} µs`;
      rows.push([
        one.name,
        micro(used.bare),
        micro(used.ours),
        formatFactor(factor),
        `${one.aim} x`,
      ]);
    }
    printTable(`CPU of one request, median of ${rounds} rounds of ${requests}`, rows);
  } finally {
    await Promise.all([ours.stop(), bare.stop()]);
  }
}

async function requestCases({ url, apiKey }: Served): Promise<readonly RequestCase[]> {
  const headers = { authorization: `Api-Key ${apiKey}`, "content-type": "application/json" };
  const session = {
    method: "POST",
    headers,
    body: JSON.stringify({ deploymentId: 1, externalId: "viewer", embedTenantName: "acme-inc" }),
  } as const;
  const group = await fetch(`${url}/api/v1/user-groups`, {
    method: "POST",
    headers,
    body: JSON.stringify({ name: "everybody" }),
  });
  const { id } = (await group.json()) as { id: number };
  const read = { method: "GET", headers: { authorization: headers.authorization } } as const;
  return [
    {
      name: "GET one group",
      aim: 4,
      ours: { ...read, path: `/api/v1/user-groups/${id}` },
      bare: { ...read, path: "/group" },
    },
    {
      name: "generate-session, user known; bare with one durable insert",
      aim: 5,
      ours: { ...session, path: "/api/v1/embed/generate-session" },
      bare: { ...session, path: "/sessions" },
    },
  ];
}

/** Returns the microseconds of CPU that a server uses for one request under load. */
async function cpuOf({ url, pid }: Served, request: Dispatcher.DispatchOptions): Promise<number> {
  const pool = new Pool(url, { connections, pipelining: 1 });
  const before = cpuMicroseconds(pid);
  let left = requests;
  const worker = async (): Promise<void> => {
    while (left-- > 0) {
      const answer = await pool.request(request);
      const text = await answer.body.text();
      if (answer.statusCode >= 300) throw new Error(`${answer.statusCode}: ${text}`);
    }
  };
  await Promise.all(Array.from({ length: connections }, worker));
  const used = cpuMicroseconds(pid) - before;
  await pool.close();
  return used / requests;
}

/** The CPU time of all threads of a process so far, from Linux's scheduler. */
function cpuMicroseconds(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`);
  const nanoseconds = threads.map((thread) =>
    Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ")[0]),
  );
  return nanoseconds.reduce((sum, one) => sum + one, 0) / 1000;
}
