// Sends SCIM requests to a service as an identity provider does.
import { randomUUID } from "node:crypto";
import { expect } from "vitest";
import type { TestService } from "./test-service.ts";

const base = "/api/scim/v2";
const patchSchema = "urn:ietf:params:scim:api:messages:2.0:PatchOp";

/** A resource, or another body of a response. */
export interface ScimBody extends Readonly<Record<string, unknown>> {
  readonly id: string;
  readonly userName: string;
  readonly displayName: string;
  readonly meta: { readonly version: string; readonly location: string };
  readonly Resources: readonly ScimBody[];
}

/** Returns the body of a patch. */
export function patchBody(...Operations: readonly object[]) {
  return { schemas: [patchSchema], Operations };
}

/** Returns the requests of an identity provider. `service` is called for each request. */
export function scimClient(service: () => TestService) {
  const send = async (
    method: string,
    path: string,
    ...[body, headers]: readonly [body?: object, headers?: Readonly<Record<string, string>>]
  ) => {
    const {
      status,
      body: answer,
      headers: got,
    } = await service().send(method, `${base}${path}`, {
      ...(body && { body }),
      ...(headers && { headers }),
    });
    return { status, body: answer as ScimBody, headers: got };
  };
  const createUser = async (more: object = {}): Promise<ScimBody> => {
    const { status, body } = await send("POST", "/Users", {
      userName: `u${randomUUID()}@example.com`,
      ...more,
    });
    expect(status).toBe(201);
    return body;
  };
  /** Creates users and returns their IDs, in ascending order. */
  const createUsers = async (number: number): Promise<readonly string[]> => {
    const ids: string[] = [];
    while (ids.length < number) ids.push((await createUser()).id);
    return ids;
  };
  const createGroup = async (members: readonly unknown[] = []): Promise<string> => {
    const values = members.map((value) => ({ value }));
    const { status, body } = await send("POST", "/Groups", {
      displayName: `g${randomUUID()}`,
      members: values,
    });
    expect(status).toBe(201);
    return body.id;
  };
  const patch = (path: string, ...Operations: readonly object[]) =>
    send("PATCH", path, patchBody(...Operations));
  const get = async (path: string) => (await send("GET", path)).body;
  const members = async (group: string) =>
    ((await get(`/Groups/${group}`))["members"] as { value: string }[] | undefined)?.map(
      ({ value }) => value,
    ) ?? [];
  const find = async (filter: string, type = "Users") =>
    get(`/${type}?filter=${encodeURIComponent(filter)}`);
  const detail = (status: number, scimType?: string) => ({
    status,
    body: {
      schemas: ["urn:ietf:params:scim:api:messages:2.0:Error"],
      status: String(status),
      detail: expect.any(String),
      ...(scimType === undefined ? {} : { scimType }),
    },
  });
  return { send, createUser, createUsers, createGroup, patch, get, members, find, detail };
}
