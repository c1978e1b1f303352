// Measures the processor time of the service for one request, against a bare Fastify route with the same response.
import type { Dispatcher } from "undici";
import { interleavedRounds, median, medianRatio } from "./interleaved-rounds.ts";
import { formatFactor, printTable } from "./report.ts";
import { cpuMicroseconds } from "./process-cpu.ts";
import { permissionCases, requestCases, sendRequests } from "./request-load.ts";
import { serve, serveBare, type Served } from "./server.ts";

const requests = 3000;
const rounds = 5;

/** Sends the same load to both servers in turn, and compares the CPU that each used. */
export async function requestsBench(): Promise<void> {
  const [ours, bare] = [await serve(), await serveBare()];
  try {
    const cases = [...(await requestCases(ours)), ...(await permissionCases(ours))];
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

/** Returns the microseconds of CPU that a server uses for one request under load. */
async function cpuOf(server: Served, request: Dispatcher.DispatchOptions): Promise<number> {
  const before = cpuMicroseconds(server.pid);
  await sendRequests([server], request, requests);
  return (cpuMicroseconds(server.pid) - before) / requests;
}
