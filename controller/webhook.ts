// Webhooks: whether a request comes from whoever knows the secret, and how many are read.
import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { limits } from "../core/limits.ts";
import type { Secret } from "../core/secret.ts";

/**
 * True where the body is signed with the secret as GitHub does it (`X-Hub-Signature-256`), or where the secret itself came along as with
 * GitLab (`X-Gitlab-Token`). How long it takes tells nothing of the secret.
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

/** Over digests, which are of one length. */
function equalInConstantTime(left: string, right: string): boolean {
  const [one, other] = [left, right].map((text) => createHash("sha256").update(text).digest());
  return one !== undefined && other !== undefined && timingSafeEqual(one, other);
}

/** Counts requests in windows that follow one another; answers the seconds to wait where there are too many. */
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
