// Authentication and rate limit of webhooks.
import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { limits } from "../core/limits.ts";
import type { Secret } from "../core/secret.ts";

/**
 * Returns whether the body is signed with the secret as GitHub does it (`X-Hub-Signature-256`), or the request carries the secret as
 * GitLab does it (`X-Gitlab-Token`). Compares in constant time.
 */
export function isAuthentic(secret: Secret, headers: IncomingHttpHeaders, body: Buffer): boolean {
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

/** Limits requests in fixed windows. Returns the seconds to wait if there are too many. */
export function webhookRateLimit(now: () => number): () => number | undefined {
  let began = -Infinity;
  let count = 0;
  return () => {
    if (now() - began >= limits.hookWindowMs) {
      began = now();
      count = 0;
    }
    count++;
    if (count <= limits.hooks) return undefined;
    return Math.ceil((began + limits.hookWindowMs - now()) / 1000);
  };
}
