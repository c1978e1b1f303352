// The tokens of the links with which recipients unsubscribe from notifications. They do not expire.
import { createHmac, timingSafeEqual } from "node:crypto";
import { invariant } from "../../core/errors.ts";
import type { Secret } from "../../core/secret.ts";
import { deriveKey } from "./secret-key.ts";

/** The recipient of a notification who may unsubscribe. */
export interface UnsubscribeClaims {
  readonly notificationId: number;
  readonly userId: number;
}

/** Creates and reads the tokens. */
export interface UnsubscribeTokens {
  /** Creates the token of the link in the mails of a notification to one recipient. */
  unsubscribeToken(subscription: UnsubscribeClaims): string;
  /** Returns the subscription of a token; undefined if it is foreign or malformed. */
  readUnsubscribeToken(token: string): UnsubscribeClaims | undefined;
}

const tokenPattern = /^([1-9][0-9]{0,9}\.[1-9][0-9]{0,9})\.([\w-]{22})$/;

/** Creates the tokens under the first of `roots`. Tokens under the other roots stay valid. */
export function makeUnsubscribeTokens(roots: readonly Secret[]): UnsubscribeTokens {
  const keys = roots.map((one) => deriveKey(one, "unsubscribe"));
  return {
    unsubscribeToken: ({ notificationId, userId }) => {
      const [current] = keys;
      invariant(current, "an account without a key");
      const subject = `${notificationId}.${userId}`;
      return `${subject}.${codeOf(current, subject)}`;
    },
    readUnsubscribeToken: (token) => {
      const [, subject = "", code = ""] = tokenPattern.exec(token) ?? [];
      const given = Buffer.from(code);
      const isOwn = keys.some((one) => {
        const expected = Buffer.from(codeOf(one, subject));
        return given.length === expected.length && timingSafeEqual(given, expected);
      });
      if (!isOwn) return undefined;
      const [notificationId = 0, userId = 0] = subject.split(".").map(Number);
      return { notificationId, userId };
    },
  };
}

/** Returns 128 bits of the authentication code of a subscription. */
function codeOf(key: Uint8Array, subject: string): string {
  return createHmac("sha256", key).update(subject).digest().subarray(0, 16).toString("base64url");
}
