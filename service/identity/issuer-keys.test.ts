// The cache of the keys of OIDC issuers.
import { exportJWK, generateKeyPair } from "jose";
import { expect, it } from "vitest";
import { limits } from "../../core/limits/limits.ts";
import { createIssuerKeys } from "./issuer-keys.ts";

it("keeps the keys that were used last", async () => {
  const { publicKey } = await generateKeyPair("ES256");
  const keys = [{ ...(await exportJWK(publicKey)), kid: "1" }];
  const reads: string[] = [];
  const get = async (url: string) => {
    reads.push(url);
    return { status: 200, body: { keys } };
  };
  const now = () => new Date(0);
  const token = { payload: "", signature: "" };
  const find = createIssuerKeys();
  const use = (name: string) => {
    const issuer = { url: `https://${name}.example`, jwksUri: `https://${name}.example/keys` };
    return find(issuer, { tokenEndpoints: { get }, now })({ alg: "ES256", kid: "1" }, token);
  };
  const names = Array.from({ length: limits.issuers }, (_, index) => `issuer-${index}`);
  for (const name of [...names, "issuer-0", "another", "issuer-0"]) await use(name);
  expect(reads).toHaveLength(names.length + 1);
  await use("issuer-1");
  expect(reads.at(-1)).toBe("https://issuer-1.example/keys");
});
