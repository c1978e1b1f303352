// One call of each SCIM operation that succeeds; `sample-requests.ts` contains them.
import type { TestService } from "../support/test-service.ts";
import { type PrepareSample, type Sample, sampleAfter } from "./sample.ts";

const base = "/api/scim/v2";
const operations = [{ op: "replace", path: "externalId", value: "idp-1" }];
let count = 0;

async function enable(service: TestService): Promise<void> {
  const path = "/api/v1/tenant/settings";
  const { status, text } = await service.send("PUT", path, { body: { scimEnabled: true } });
  if (status !== 200) throw new Error(`preparing ${path}: ${status} ${text}`);
}

async function created(service: TestService, path: string, body: object): Promise<string> {
  await enable(service);
  const { status, text, body: answer } = await service.send("POST", `${base}${path}`, { body });
  if (status !== 201) throw new Error(`preparing ${path}: ${status} ${text}`);
  return `${base}${path}/${(answer as { id: string }).id}`;
}

const user = (service: TestService) => created(service, "/Users", { userName: `idp-${++count}` });
const group = (service: TestService) =>
  created(service, "/Groups", { displayName: `idp-${++count}` });

const plain =
  (path: string, body?: Sample["body"]): PrepareSample =>
  async (service) => ({
    ...(await sampleAfter(enable(service), `${base}${path}`)),
    ...(body && { body }),
  });

/** Samples by operation ID. */
export const scimSamples: Readonly<Record<string, PrepareSample>> = {
  listScimUsers: plain("/Users?filter=userName%20pr&sortBy=userName&count=2"),
  searchScimUsers: plain("/Users/.search", { filter: "active eq true", startIndex: 1 }),
  createScimUser: plain("/Users", {
    userName: "ann@example.com",
    emails: [{ value: "ann@example.com", primary: true }],
  }),
  getScimUser: async (service) => ({ path: `${await user(service)}?attributes=userName` }),
  replaceScimUser: async (service) => ({
    path: await user(service),
    body: { userName: `replaced-${++count}`, title: "Sales" },
  }),
  patchScimUser: async (service) => ({
    path: await user(service),
    body: { Operations: operations },
  }),
  deleteScimUser: async (service) => ({ path: await user(service) }),
  listScimGroups: plain("/Groups?excludedAttributes=members"),
  searchScimGroups: plain("/Groups/.search", { count: 0 }),
  createScimGroup: async (service) => {
    const value = (await user(service)).split("/").at(-1);
    return { path: `${base}/Groups`, body: { displayName: "Sellers", members: [{ value }] } };
  },
  getScimGroup: async (service) => ({ path: await group(service) }),
  replaceScimGroup: async (service) => ({
    path: await group(service),
    body: { displayName: `replaced-${++count}` },
  }),
  patchScimGroup: async (service) => ({
    path: await group(service),
    body: { Operations: operations },
  }),
  deleteScimGroup: async (service) => ({ path: await group(service) }),
  searchScim: plain("/.search", { attributes: ["id"] }),
  getScimMe: plain("/Me"),
  bulkScim: plain("/Bulk", {
    Operations: [{ method: "POST", path: "/Users", bulkId: "1", data: { userName: "bo" } }],
    failOnErrors: 1,
  }),
  getScimConfig: plain("/ServiceProviderConfig"),
  listScimResourceTypes: plain("/ResourceTypes"),
  getScimResourceType: plain("/ResourceTypes/User"),
  listScimSchemas: plain("/Schemas"),
  getScimSchema: plain("/Schemas/urn:ietf:params:scim:schemas:core:2.0:Group"),
};
