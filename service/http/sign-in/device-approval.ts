// The page where users enter the code of a device and approve it.
import type { FastifyInstance, FastifyRequest } from "fastify";
import {
  approveDevice,
  denyDevice,
  findWaitingDevice,
  normalizeUserCode,
} from "../../identity/device-approval.ts";
import { requestContextOf } from "../request/request-context.ts";
import {
  accountHost,
  findGuessed,
  queryText,
  readForm,
  sendPage,
  type SignIn,
  userOf,
} from "./browser.ts";
import { oauthServerOf } from "./oauth-routes.ts";
import { codePage, deviceApprovalPage, messagePage } from "./pages.ts";

const unknownCode =
  "No device waits with this code. It may have expired; check the code, or start again.";

/** Adds the page. */
export function addDeviceApproval(app: FastifyInstance, { servers, failures }: SignIn): void {
  const find = (request: FastifyRequest, code: string) =>
    findGuessed(request, failures, () => findWaitingDevice(requestContextOf(request), code));
  app.get("/auth/device", async (request, reply) => {
    const code = normalizeUserCode(queryText(request, "user_code"));
    const user = await userOf(request);
    if (!user) {
      const next = code === "" ? "/auth/device" : `/auth/device?user_code=${code}`;
      return reply.redirect(`/auth/sign-in?next=${encodeURIComponent(next)}`, 303);
    }
    if (code === "") return sendPage(reply, codePage({}));
    const device = await find(request, code);
    if (!device) return sendPage(reply, codePage({ code, problem: unknownCode }));
    const { clientId, address, agent, scopes } = device;
    const server = await oauthServerOf(request, servers);
    const client = (await server.Client.find(clientId))?.clientName ?? clientId;
    const account = accountHost(request);
    const { username } = user;
    const of = { client, clientId, address, agent, scopes, account, username, code };
    return sendPage(reply, deviceApprovalPage(of));
  });
  app.post("/auth/device", async (request, reply) => {
    const form = readForm(request);
    const code = normalizeUserCode(form.get("user_code") ?? "");
    const user = await userOf(request);
    if (!user) return reply.redirect("/auth/sign-in?next=%2Fauth%2Fdevice", 303);
    const device = await find(request, code);
    if (!device) return sendPage(reply, codePage({ code, problem: unknownCode }));
    const store = requestContextOf(request);
    const isApproved = form.get("decision") === "approve";
    const server = await oauthServerOf(request, servers);
    const isFirst = isApproved
      ? await approveDevice(store, device, { server, session: user })
      : await denyDevice(store, device);
    if (!isFirst) return sendPage(reply, codePage({ code, problem: unknownCode }));
    const [title, message] = isApproved
      ? ["Device connected", "You can close this page and return to the device."]
      : ["Request denied", "The device gets no access. You can close this page."];
    return sendPage(reply, messagePage(title, message));
  });
}
