// Measures sessions created in a second, against a bare route with one durable insert.
import { Pool } from "undici";
import { printTable } from "./report.ts";
import { median } from "./interleaved-rounds.ts";
import { serve, serveBare, type Served } from "./server.ts";

const connections = 32;
const roundMs = 1500;
const count = 5;

interface BenchCase {
  readonly name: string;
  readonly server: Served;
  readonly path: string;
  readonly body: (turn: number) => string;
}

/** Runs the contestants in turn, each under the same load. */
export async function sessionsBench(): Promise<void> {
  const [ours, bare] = [await serve(), await serveBare()];
  try {
    const contestants = benchCases(ours, bare);
    const rates = contestants.map((): number[] => []);
    for (let round = 0; round <= count; round++) {
      for (const [index, contestant] of contestants.entries()) {
        const rate = await sessionsPerSecond(contestant);
        // The first round warms up.
        if (round > 0) rates[index]?.push(rate);
      }
    }
    const [floor = []] = rates;
    printTable(
      `Requests per second with ${connections} connections, ${count} rounds of ${roundMs} ms`,
      [
        ["", "per second", "to bare"],
        ...contestants.map(({ name }, index) => {
          const rate = rates[index] ?? [];
          const part = median(rate.map((one, round) => one / (floor[round] ?? NaN)));
          return [name, median(rate).toFixed(0), part.toFixed(2)];
        }),
      ],
    );
  } finally {
    await Promise.all([ours.stop(), bare.stop()]);
  }
}

function benchCases(ours: Served, bare: Served): readonly BenchCase[] {
  const session = (externalId: string): string =>
    JSON.stringify({ deploymentId: 1, externalId, embedTenantName: "acme-inc" });
  const known = (): string => session("user-00000000@example.com");
  let newcomers = 0;
  const unknown = (): string => {
    return session(`user-${String(++newcomers).padStart(8, "0")}@example.com`);
  };
  const generating = { server: ours, path: "/api/v1/embed/generate-session" };
  return [
    { name: "bare Fastify route, one insert", server: bare, path: "/sessions", body: known },
    { name: "generate-session, user known", ...generating, body: known },
    { name: "generate-session, a new user each", ...generating, body: unknown },
  ];
}

/** Successful requests per second, with every connection busy for the length of a round. */
async function sessionsPerSecond({ server, path, body }: BenchCase): Promise<number> {
  const pool = new Pool(server.url, { connections, pipelining: 1 });
  const headers = {
    "content-type": "application/json",
    authorization: `Api-Key ${server.apiKey}`,
  };
  const from = performance.now();
  let done = 0;
  const worker = async (): Promise<void> => {
    while (performance.now() - from < roundMs) {
      const answer = await pool.request({ method: "POST", path, headers, body: body(done) });
      const text = await answer.body.text();
      if (answer.statusCode >= 300) throw new Error(`${answer.statusCode}: ${text}`);
      done++;
    }
  };
  await Promise.all(Array.from({ length: connections }, worker));
  const seconds = (performance.now() - from) / 1000;
  await pool.close();
  return done / seconds;
}
