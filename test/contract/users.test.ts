// Users: unique names and emails, found in any case.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startService, type TestService } from "../support/service.ts";

let service: TestService;

beforeEach(async () => {
  service = await startService();
});
afterEach(async () => service.close());

const path = "/api/v1/users";
const make = (body: object) => service.send("POST", path, { body });
const ann = { email: "Ann@Example.com", username: "ann", firstName: "Änn" };

describe("users", () => {
  it("are made, listed and found in any case; external ones are elsewhere", async () => {
    expect((await make(ann)).body).toMatchObject({ ...ann, isAdmin: false });
    const session = { deploymentId: 1, externalId: "visitor" };
    await service.send("POST", "/api/v1/embed/generate-session", { body: session });
    const emails = async (query: string) =>
      (
        (await service.send("GET", `${path}${query}`)).body as { items: { email: string }[] }
      ).items.map(({ email }) => email);
    expect(await emails("")).toEqual([ann.email, "admin@svc.localhost"]);
    for (const part of ["ANN", "example.COM", "äNN"]) {
      expect(await emails(`?search=${encodeURIComponent(part)}`)).toEqual([ann.email]);
    }
    expect(await emails("?search=%25")).toEqual([]);
  });

  it("have names and emails of their own, whatever the email's case", async () => {
    await make(ann);
    expect((await make({ ...ann, email: "other@example.com" })).status).toBe(409);
    expect((await make({ ...ann, username: "other", email: "ann@example.COM" })).status).toBe(409);
    expect((await make({ ...ann, username: "other", email: "not an email" })).status).toBe(400);
  });

  it("know themselves", async () => {
    const key = await service.key({ admin: false });
    const me = await service.send("GET", `${path}/me`, { key });
    expect(me.body).toMatchObject({ isAdmin: false, username: expect.stringContaining("user-") });
  });
});
