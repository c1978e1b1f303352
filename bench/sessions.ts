// Measures sessions created in a second, against a bare route with one durable insert.
import { type BareClient, bareClient, inParallel } from "./bare-client.ts";
import { interleavedRounds, median, medianRatio } from "./interleaved-rounds.ts";
import { printTable } from "./report.ts";
import { serve, serveBare } from "./server.ts";

const connections = 32;
const roundMs = 1500;
const count = 5;

/** Runs the contestants in turn, each under the same load. */
export async function sessionsBench(): Promise<void> {
  const servers = [await serve(), await serveBare()] as const;
  const [service, baseline] = [
    bareClient(servers[0], connections),
    bareClient(servers[1], connections),
  ];
  let users = 0;
  const generate = "/api/v1/embed/generate-session";
  try {
    const took = await interleavedRounds(count, {
      bare: () => msPerSession(baseline, "/sessions", () => 0),
      known: () => msPerSession(service, generate, () => 0),
      unknown: () => msPerSession(service, generate, () => ++users),
    });
    const row = (name: string, ms: readonly number[]): readonly string[] => [
      name,
      (1000 / median(ms)).toFixed(0),
      medianRatio(took.bare, ms).toFixed(2),
    ];
    printTable(
      `Requests per second with ${connections} connections, ${count} rounds of ${roundMs} ms`,
      [
        ["", "per second", "to bare"],
        row("bare Fastify route, one insert", took.bare),
        row("generate-session, user known", took.known),
        row("generate-session, a new user each", took.unknown),
      ],
    );
  } finally {
    await Promise.all([service.close(), baseline.close()]);
    for (const server of servers) await server.stop();
  }
}

/** Keeps every connection busy for the length of a round. */
async function msPerSession(client: BareClient, path: string, user: () => number): Promise<number> {
  const from = performance.now();
  let sent = 0;
  function* untilEnd() {
    for (; performance.now() - from < roundMs; sent++) yield user();
  }
  await inParallel(untilEnd(), connections, (number) => {
    const externalId = `user-${String(number).padStart(8, "0")}@example.com`;
    const body = { deploymentId: 1, externalId, embedTenantName: "acme-inc" };
    return client.send({ method: "POST", path, body });
  });
  return (performance.now() - from) / sent;
}
