// Lets a signed-in user approve or deny a device by its short code.
import type { AdapterPayload, Provider } from "oidc-provider";
import { secretHash } from "../security/secret-hash.ts";
import { toTimestamp } from "../store/codec.ts";
import type { Row } from "../store/schema.ts";
import { inTransaction } from "../store/transaction.ts";
import type { BrowserSession } from "./browser-sessions.ts";
import { oauthAdapter, payloadColumns, readPayload } from "./oauth-adapter.ts";
import type { OAuthStore } from "./oauth-store.ts";
import { grantAccess } from "./session-grants.ts";
import { requestedScopes } from "../security/oauth-scopes.ts";

/** A device that waits for a user. */
export interface WaitingDevice {
  readonly row: Row<"oauth_records">;
  readonly payload: AdapterPayload;
  readonly clientId: string;
  /** The address and the program that asked. */
  readonly address: string;
  readonly agent: string;
  readonly scopes: readonly string[];
}

/** Converts a code that a user entered to the displayed form, such as `BCDF-GHJK`. */
export function normalizeUserCode(text: string): string {
  const code = text.toUpperCase().replace(/[^A-Z0-9]/g, "");
  return code.length === 8 ? `${code.slice(0, 4)}-${code.slice(4)}` : code;
}

/** Returns the device with a code; undefined if there is none, it expired, or a user already decided. */
export async function findWaitingDevice(
  store: OAuthStore,
  userCode: string,
): Promise<WaitingDevice | undefined> {
  const row = await store.db
    .selectFrom("oauth_records")
    .selectAll()
    .where("model", "=", "DeviceCode")
    // The library stores codes without their hyphen.
    .where("code_hash", "=", secretHash(userCode.replace("-", "")))
    .where("expires_at", ">", toTimestamp(store.now()))
    .where("consumed_at", "is", null)
    .executeTakeFirst();
  const payload = row && readPayload(store, row);
  if (!payload || payload.accountId !== undefined || payload.error !== undefined) return undefined;
  const device = (payload.deviceInfo ?? {}) as { ip?: string; ua?: string };
  return {
    row,
    payload,
    clientId: payload.clientId ?? "",
    address: device.ip ?? "",
    agent: device.ua ?? "",
    scopes: requestedScopes((payload.params as { scope?: string } | undefined)?.scope),
  };
}

/** The user who approves, and the server. */
export interface Approver {
  readonly server: Provider;
  readonly session: BrowserSession;
}

/** Approves a device. Returns false if another request decided first. Throws `unauthenticated` if the session ended. */
export async function approveDevice(
  store: OAuthStore,
  { row, payload, clientId, scopes }: WaitingDevice,
  { server, session }: Approver,
): Promise<boolean> {
  const grantId = await grantAccess(store, server, { session, clientId, scopes });
  const isFirst = await decide(store, row, {
    ...payload,
    accountId: String(session.id),
    grantId,
    resource: server.issuer,
    scope: scopes.join(" "),
    authTime: Math.floor(store.now().getTime() / 1000),
  });
  if (!isFirst) await oauthAdapter(store, "Grant").revokeByGrantId(grantId);
  return isFirst;
}

/** Denies a device. Returns false if another request decided first. */
export function denyDevice(store: OAuthStore, { row, payload }: WaitingDevice): Promise<boolean> {
  return decide(store, row, {
    ...payload,
    error: "access_denied",
    errorDescription: "the user denied the request",
  });
}

/** Stores a decision if the record did not change since it was read. */
async function decide(
  store: OAuthStore,
  row: Row<"oauth_records">,
  payload: AdapterPayload,
): Promise<boolean> {
  const decided = await inTransaction(store.db, (tx) =>
    tx
      .updateTable("oauth_records")
      .set(payloadColumns(store, row, payload))
      .where("id", "=", row.id)
      .where("sealed_payload", "=", row.sealed_payload)
      .where("consumed_at", "is", null)
      .returning("id")
      .executeTakeFirst(),
  );
  return decided !== undefined;
}
