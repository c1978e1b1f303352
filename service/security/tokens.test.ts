// Signed tokens: their claims, their lifetime, and protection against forgery.
import { SignJWT } from "jose";
import { describe, expect, it } from "vitest";
import { limits } from "../../core/limits/limits.ts";
import { generateKey } from "./secret-key.ts";
import { makeTokens } from "./tokens.ts";

const claims = { userId: 7, sessionId: 9, embedTenantName: "acme-inc" };

describe("an embed token", () => {
  it("contains its claims", async () => {
    const tokens = makeTokens(generateKey(), Date.now);
    const plain = { userId: 1, sessionId: 2 };
    for (const issued of [claims, plain]) {
      const read = await tokens.readEmbedToken(await tokens.issueEmbedToken(issued));
      expect(read).toEqual({ ...issued, mayAdminister: true });
    }
  });

  it("expires after a day", async () => {
    let now = Date.UTC(2030, 0, 1);
    const tokens = makeTokens(generateKey(), () => now);
    const token = await tokens.issueEmbedToken(claims);
    now += limits.embedTokenSeconds * 1000 - 1000;
    expect(await tokens.readEmbedToken(token)).toEqual({ ...claims, mayAdminister: false });
    now += 2000;
    expect(await tokens.readEmbedToken(token)).toBeUndefined();
  });

  it("carries administrator rights for an hour", async () => {
    let now = Date.UTC(2030, 0, 1);
    const tokens = makeTokens(generateKey(), () => now);
    const token = await tokens.issueEmbedToken(claims);
    now += limits.embedAdministratorSeconds * 1000 - 1000;
    expect(await tokens.readEmbedToken(token)).toEqual({ ...claims, mayAdminister: true });
    now += 1000;
    expect(await tokens.readEmbedToken(token)).toEqual({ ...claims, mayAdminister: false });
  });

  it("is invalid under another key, if changed, or unsigned", async () => {
    const [ours, theirs] = [generateKey(), generateKey()].map((key) => makeTokens(key, Date.now));
    const token = (await theirs?.issueEmbedToken(claims)) ?? "";
    const [head, body, signature] = token.split(".");
    const payload = { sid: 9, aud: "embed", sub: "7", exp: Date.now() };
    const unsigned = Buffer.from(JSON.stringify(payload)).toString("base64url");
    const none = Buffer.from('{"alg":"none"}').toString("base64url");
    const guessed = await new SignJWT(payload)
      .setProtectedHeader({ alg: "HS256" })
      .sign(new Uint8Array(32));
    for (const bad of [token, `${head}.${body}.`, `${none}.${unsigned}.`, guessed, "a.b.c", ""]) {
      expect(await ours?.readEmbedToken(bad)).toBeUndefined();
    }
    expect(await theirs?.readEmbedToken(`${head}.${unsigned}.${signature}`)).toBeUndefined();
  });
});

describe("an unsubscribe token", () => {
  const subscription = { notificationId: 12, userId: 7 };

  it("names its subscription, also after a rotation of the key, and is refused if changed or foreign", () => {
    const key = generateKey();
    const token = makeTokens(key, Date.now).unsubscribeToken(subscription);
    const rotated = makeTokens(generateKey(), Date.now, [key]);
    expect(rotated.readUnsubscribeToken(token)).toEqual(subscription);
    const [, user, code] = token.split(".");
    for (const bad of [`13.${user}.${code}`, `12.8.${code}`, `12.7.${"A".repeat(22)}`, "12.7.", ""])
      expect(rotated.readUnsubscribeToken(bad)).toBeUndefined();
    expect(makeTokens(generateKey(), Date.now).readUnsubscribeToken(token)).toBeUndefined();
  });
});
