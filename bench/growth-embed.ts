// Measures how sessions and notification recipients grow with the number of embed users.
import { limits } from "../core/limits/limits.ts";
import { type BareClient, inParallel } from "./bare-client.ts";
import type { GrowthScene, GrowthStep } from "./growth-rate.ts";
import { openFixture } from "./growth-stacks.ts";

const embedTenantName = "acme-inc";
const deployment = "/api/v1/deployments/1";
/** One call is too short to measure. */
const notificationCount = 5;

/** Signs in embed users, and adds them all to notifications. The large size is the limit of one call. */
export const embedScene: GrowthScene = {
  title: "Embed users",
  size: limits.recipients / 4,
  factor: 4,
  open: async (size) => {
    const fixture = await openFixture("file");
    const notifications = await createNotifications(fixture.client);
    return {
      steps: embedSteps(fixture.client, size, notifications),
      close: () => fixture.close(),
    };
  },
};

function embedSteps(
  client: BareClient,
  size: number,
  notifications: readonly string[],
): readonly GrowthStep[] {
  const users = Array.from({ length: size }, (_, at) => `user-${at}@example.com`);
  const signIn = (externalId: string) =>
    client.send({
      method: "POST",
      path: "/api/v1/embed/generate-session",
      body: { deploymentId: 1, externalId, embedTenantName },
    });
  const session = () => inParallel(users, limits.concurrency, signIn);
  return [
    { name: "sessions of new users", run: session },
    { name: "sessions of known users", run: session },
    {
      name: "recipients in one call",
      run: async () => {
        for (const path of notifications) await subscribe(client, path, users);
      },
    },
  ];
}

/** Returns the paths of notifications for one dashboard. */
async function createNotifications(client: BareClient): Promise<readonly string[]> {
  const create = async (path: string, body: object): Promise<{ readonly id: number }> =>
    (await client.send({ method: "POST", path, body })) as { id: number };
  const workbook = await create(`${deployment}/workbooks`, { name: "Sales" });
  const publication = { workbookId: workbook.id, config: {} };
  const published = await create(`${deployment}/workbooks/${workbook.id}/publish`, publication);
  const schedule = { dashboardId: published.id, scheduleType: "DAILY", hour: 9 };
  const paths: string[] = [];
  for (let count = 0; count < notificationCount; count++) {
    const { id } = await create(`${deployment}/notifications`, schedule);
    paths.push(`${deployment}/notifications/${id}`);
  }
  return paths;
}

async function subscribe(
  client: BareClient,
  notification: string,
  users: readonly string[],
): Promise<void> {
  const recipients = users.map((externalId) => {
    return { type: "EMBED_USER", embedTenantName, externalId };
  });
  const path = `${notification}/recipients`;
  const answer = await client.send({ method: "POST", path, body: { recipients } });
  const { createdRecipients } = answer as { createdRecipients: readonly unknown[] };
  if (createdRecipients.length !== users.length) throw new Error("not all were subscribed");
}
