// Samples of the operations of states.
import type { TestService } from "../support/test-service.ts";
import { type PrepareSample, sampleAfter } from "./sample.ts";

const states = "/api/v1/state";

/** Samples by operation ID. */
export const stateSamples: Readonly<Record<string, PrepareSample>> = {
  listStates: async (service) => sampleAfter(state(service), `${states}?prefix=sh`),
  findStates: async (service) => ({
    ...(await sampleAfter(state(service), "/api/v1/states/search")),
    body: { prefix: "sh", format: 1, texts: ["serial"] },
  }),
  getState: async (service) => sampleAfter(state(service), `${states}/shop?version=1`),
  putState: async (service) => ({
    ...(await sampleAfter(state(service), `${states}/shop?ID=lock-1&follows=1`)),
    body: { serial: 2 },
  }),
  deleteState: async (service) => sampleAfter(state(service), `${states}/shop?ID=lock-1`),
  listStateVersions: async (service) =>
    sampleAfter(state(service), `${states}/shop/versions?first=1`),
  getStateLock: async (service) => sampleAfter(state(service), `${states}/shop/lock`),
  lockState: async (service) => ({
    ...(await sampleAfter(state(service), `${states}/shop/lock`)),
    body: { ID: "lock-1", Who: "jo@desk", leaseSeconds: 60, renew: true },
  }),
  unlockState: async (service) => ({
    ...(await sampleAfter(state(service), `${states}/shop/unlock`)),
    body: { ID: "lock-1" },
  }),
  appendStateJournal: async (service) => ({
    ...(await sampleAfter(state(service), `${states}/shop/journal?ID=lock-1`)),
    body: { position: 1, lines: ["more"] },
  }),
  listStateJournal: async (service) =>
    sampleAfter(state(service), `${states}/shop/journal?first=1`),
};

/** Creates a locked state with one version and a journal line. */
async function state(service: TestService): Promise<void> {
  const path = `${states}/shop`;
  const send = async (method: string, to: string, body?: object) => {
    const { status, text } = await service.send(method, to, body && { body });
    if (status !== 200) throw new Error(`preparing ${to}: ${status} ${text}`);
  };
  // Release an earlier lock; without one this returns 404.
  await service.send("UNLOCK", path, { body: { ID: "lock-1" } });
  await send("DELETE", path);
  await send("POST", path, { serial: 1 });
  await send("POST", `${path}/lock`, { ID: "lock-1" });
  await send("POST", `${path}/journal?ID=lock-1`, { position: 0, lines: ["begun"] });
}
