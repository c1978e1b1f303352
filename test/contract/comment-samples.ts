// One call of each operation on comments that succeeds, by the token of an embed session.
import type { TestService } from "../support/test-service.ts";

const workbooks = "/api/v1/deployments/1/workbooks";

/** Returns a dashboard that the embed tenant `acme-inc` may view, and the header of a session for it. */
async function commented(service: TestService) {
  const enabled = { embedding: { enableDashboardComments: true } };
  await service.send("PUT", "/api/v1/app-config", { body: enabled });
  const created = await service.send("POST", workbooks, { body: {} });
  const { id: workbookId } = created.body as { id: number };
  const content = { workbookId, title: "Sales", allowEmbed: true };
  const published = await service.send("POST", `${workbooks}/${workbookId}/publish`, {
    body: content,
  });
  const { publicId } = published.body as { publicId: string };
  await service.send("PUT", `${workbooks}/${workbookId}/embed-access`, {
    body: { allEmbedUsers: true, action: "read" },
  });
  const session = await service.send("POST", "/api/v1/embed/generate-session", {
    body: { deploymentId: 1, externalId: "visitor", embedTenantName: "acme-inc" },
  });
  const exchange = { key: null, body: session.body };
  const { body } = await service.send("POST", "/api/v1/embed/session/token", exchange);
  const { token } = body as { token: string };
  const headers = { authorization: `Bearer ${token}` };
  return { path: `/api/v1/embed/dashboard/${publicId}`, headers };
}

/** Adds a comment to such a dashboard. */
async function comment(service: TestService) {
  const { path, headers } = await commented(service);
  const body = { body: "Why did orders fall?" };
  const answer = await service.send("POST", `${path}/comments`, { body, headers });
  const { id } = answer.body as { id: number };
  return { path: `${path}/comments`, own: `${path}/comments/${id}`, headers };
}

/** Samples by operation id. */
export const commentSamples = {
  listDashboardComments: async (service: TestService) => {
    const { path, headers } = await comment(service);
    return { path: `${path}?first=1`, headers };
  },
  createDashboardComment: async (service: TestService) => {
    const { path, headers } = await commented(service);
    const body = { body: "Orders fell.", widgetId: "headline", mentions: [] };
    return { path: `${path}/comments`, headers, body };
  },
  updateDashboardComment: async (service: TestService) => {
    const { own, headers } = await comment(service);
    return { path: own, headers, body: { body: "Why did orders rise?", mentions: null } };
  },
  deleteDashboardComment: async (service: TestService) => {
    const { own, headers } = await comment(service);
    return { path: own, headers };
  },
  resolveDashboardComment: async (service: TestService) => {
    const { own, headers } = await comment(service);
    return { path: `${own}/resolve`, headers, body: { resolved: true } };
  },
  listMentionableUsers: async (service: TestService) => {
    const { path, headers } = await commented(service);
    return { path: `${path}/mentionable-users?first=1&search=V`, headers };
  },
};
