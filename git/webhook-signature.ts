// Verifies the signatures of webhooks.
import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import type { Secret } from "../core/secret.ts";

/** The headers of a request. */
export type WebhookHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * Returns whether the body is signed with the secret as GitHub does it (`X-Hub-Signature-256`), or the request carries the secret as
 * GitLab does it (`X-Gitlab-Token`). Compares in constant time.
 */
export function isAuthentic(
  secret: Secret,
  headers: WebhookHeaders,
  body: Buffer | string,
): boolean {
  const signed = headers["x-hub-signature-256"];
  if (typeof signed === "string") {
    const digest = createHmac("sha256", secret.reveal()).update(body).digest("hex");
    return equalInConstantTime(signed, `sha256=${digest}`);
  }
  const token = headers["x-gitlab-token"];
  return typeof token === "string" && equalInConstantTime(token, secret.reveal());
}

/** Compares digests, which have equal length. */
function equalInConstantTime(left: string, right: string): boolean {
  const [one, other] = [left, right].map((text) => createHash("sha256").update(text).digest());
  return one !== undefined && other !== undefined && timingSafeEqual(one, other);
}
