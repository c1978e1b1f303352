// Dashboards that the users of embed tenants view, their sessions, and a host that frames them on another site.
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { type DashboardService, deployment, publish } from "../contract/dashboard-service.ts";

/** Publishes a dashboard that every embed tenant may view. Returns its public ID. */
export async function publishEmbedded(
  service: Pick<DashboardService, "done">,
  config: object,
): Promise<string> {
  const { publicId, workbookId } = await publish(service, config);
  await service.done("PUT", `${deployment}/workbooks/${workbookId}/embed-access`, {
    allEmbedUsers: true,
    action: "read",
    allowEmbed: true,
  });
  return publicId;
}

/** Creates a session of Jane of acme-inc, or as options say. The group `north` exists. */
export async function newSession(
  service: Pick<DashboardService, "done">,
  options: object = {},
): Promise<string> {
  const { sessionId } = await service.done("POST", "/api/v1/embed/generate-session", {
    deploymentId: 1,
    externalId: "jane",
    embedTenantName: "acme-inc",
    groups: ["north"],
    userProfile: { displayName: "Jane Doe" },
    ...options,
  });
  return String(sessionId);
}

/** The site of a host. Browsers count `localhost` and the service's `127.0.0.1` as two sites. */
export interface HostSite {
  readonly url: string;
  close(): void;
}

/** Starts a host that answers each request with a text. */
export async function startHost(
  answer: (request: IncomingMessage) => string | Promise<string>,
): Promise<HostSite> {
  const server = createServer((request, response) => {
    response.setHeader("content-type", "text/html; charset=utf-8");
    void Promise.resolve(answer(request)).then((text) => response.end(text));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://localhost:${(server.address() as AddressInfo).port}/`;
  return { url, close: () => void server.close() };
}

/** Returns a widget two rows lower, below controls. */
export function below<Widget extends { readonly position: { readonly y: number } }>(
  widget: Widget,
): Widget {
  return { ...widget, position: { ...widget.position, y: widget.position.y + 2 } };
}

/** Returns a control in the first two rows, in the columns from `x`. */
export function control(type: string, x: number, config: object) {
  return { id: `${type} ${x}`, type, position: { x, y: 0, w: 3, h: 2 }, config };
}
