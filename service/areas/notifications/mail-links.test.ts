// The address of the links in mails: the server's address, or the account's own host.
import { expect, it } from "vitest";
import { makeTokens } from "../../security/tokens.ts";
import { generateKey } from "../../security/secret-key.ts";
import { mailLinks } from "./mail-links.ts";

const tokens = makeTokens(generateKey(), Date.now);
const originOf = (publicUrl: string | undefined, hosts: readonly string[]) => {
  const links = mailLinks(publicUrl, { hosts, tokens });
  const unsubscribe = links && new URL(links.unsubscribe({ notificationId: 1, userId: 2 })).origin;
  expect(links?.dashboard("abc")).toBe(unsubscribe && `${unsubscribe}/embed/dashboard/abc`);
  return unsubscribe;
};

it("is the public address, with the host of an account that has one", () => {
  expect([
    originOf(undefined, ["acme.example.com"]),
    originOf("https://svc.example.com", []),
    originOf("https://svc.example.com:8443", ["acme.example.com"]),
    originOf("https://svc.example.com", ["acme.example.com", "bi.acme.com"]),
  ]).toEqual([
    undefined,
    "https://svc.example.com",
    "https://acme.example.com:8443",
    "https://bi.acme.com",
  ]);
});
