// Tests that objects which need a tenant setting are created after it.
import { afterAll, beforeAll, expect, it } from "vitest";
import { startService, type TestService } from "../support/test-service.ts";
import { type Doc, makeStack } from "../support/test-stack.ts";

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const settings = (spec: Doc["spec"]): Doc => ({ kind: "TenantSettings", name: "account", spec });

it("tenant settings are written before the objects that require them, whatever the order of the documents", async () => {
  const stack = await makeStack({ url: service.url, key: service.adminKey });
  const spec = { name: "vault", audienceType: "Custom", audience: "https://vault.example.com" };
  try {
    await stack.write([
      { kind: "OidcTokenConfig", name: "vault", spec },
      settings({ oidcEnabled: true }),
    ]);
    const { outcomes } = await stack.apply();
    expect(outcomes.map(({ address, result }) => `${address} ${result}`)).toEqual([
      "TenantSettings/account done",
      "OidcTokenConfig/vault done",
    ]);
  } finally {
    await stack.dispose();
  }
});
