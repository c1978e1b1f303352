// One call of each operation on sessions of signed embedding that succeeds.
import type { TestService } from "../support/test-service.ts";
import { type PrepareSample, sampleAfter } from "./sample.ts";

const base = "/api/v1";

async function session(service: TestService): Promise<string> {
  const body = { deploymentId: 1, externalId: "visitor" };
  const answer = await service.send("POST", `${base}/embed/generate-session`, { body });
  return (answer.body as { sessionId: string }).sessionId;
}

/** The samples by operation. */
export const sessionSamples: Readonly<Record<string, PrepareSample>> = {
  generateSession: async () => ({
    path: `${base}/embed/generate-session`,
    body: { deploymentId: 1, externalId: "visitor", userProfile: { displayName: "V" } },
  }),
  exchangeSession: async (service) => ({
    path: `${base}/embed/session/token`,
    body: { sessionId: await session(service) },
  }),
  revokeSession: async (service) => ({
    path: `${base}/embed/session/revoke`,
    body: { sessionId: await session(service) },
  }),
  listEmbedSessions: async (service) =>
    sampleAfter(
      session(service),
      `${base}/embed/sessions?deploymentId=1&externalId=visitor&first=1`,
    ),
  endEmbedSession: async (service) => {
    await session(service);
    const { body } = await service.send("GET", `${base}/embed/sessions?first=1`);
    const [created] = (body as { items: readonly { id: number }[] }).items;
    return { path: `${base}/embed/sessions/${created?.id}` };
  },
};
