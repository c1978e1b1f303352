// `drift` and `why` name who changed an object on the server, as its audit log tells.
import { expect, it } from "vitest";
import { Secret } from "../../core/secret.ts";
import { drift } from "../../reconciler/verbs/verbs.ts";
import { why } from "../../reconciler/verbs/why.ts";
import { startService } from "../support/test-service.ts";
import { makeStack } from "../support/test-stack.ts";

it("names the user, the API key, the time and the operation", async () => {
  const service = await startService();
  const stack = await makeStack({ url: service.url, key: service.adminKey });
  try {
    await stack.write([
      { kind: "UserGroup", name: "sellers", spec: { name: "sellers", description: "who sell" } },
    ]);
    await stack.apply();
    const { body: made } = await service.send("POST", "/api/v1/api-keys", {
      body: { name: "laptop" },
    });
    const { token: key } = made as { token: string };
    const { body } = await service.send("GET", "/api/v1/user-groups");
    const { id } = (body as { items: { id: number }[] }).items[0] ?? {};
    const change = { key, body: { description: "changed by hand" } };
    await service.send("PATCH", `/api/v1/user-groups/${id}`, change);
    const who =
      /^last changed by admin@svc\.localhost with the API key laptop at \S+Z: updateUserGroup$/;
    const found = await drift(stack.options);
    const notes = found.ok ? found.plan.diagnostics : [];
    expect(notes).toEqual([
      expect.objectContaining({ code: "last-change", summary: expect.stringMatching(who) }),
    ]);
    const explained = await why({ ...stack.options, address: "UserGroup/sellers" });
    const [note] = explained.ok ? explained.explanation.notes : [];
    expect(note).toMatchObject({ code: "last-change", summary: expect.stringMatching(who) });
    const limited = { name: "limited", permissions: ["DirectoryRead"] };
    const { body: other } = await service.send("POST", "/api/v1/api-keys", { body: limited });
    const credential = new Secret((other as { token: string }).token);
    const connection = { ...stack.options.connection, credential };
    const blind = await drift({ ...stack.options, connection });
    const [refused] = blind.ok ? blind.plan.diagnostics : [];
    expect(refused?.summary).toContain("AuditLogRead");
  } finally {
    await stack.dispose();
    await service.close();
  }
});
