// Common steps of all SCIM operations: they require that the account enabled SCIM, and send versions and locations of
// resources.
import { hash } from "node:crypto";
import { Failure } from "../../../core/errors.ts";
import { limits } from "../../../core/limits/limits.ts";
import { toTimestamp } from "../../store/codec.ts";
import { valueFailure } from "../../scim/scim-error.ts";
import type { Db } from "../../store/schema.ts";
import { inTransaction } from "../../store/transaction.ts";
import type { JsonObject } from "../../../core/json.ts";
import type { Operation, RequestOf } from "../../../core/operation/operation.ts";
import { readAccount } from "../../accounts/account.ts";
import { HttpAnswer } from "../shared/http-answer.ts";
import type { Call, OperationHandler } from "../shared/operation-handler.ts";

/** The part of a call that reads and writes resources. */
export type ScimCall = Pick<Call, "db" | "principal" | "now" | "origin" | "headers">;

/** The result of an operation. */
export interface ScimReply {
  /** ID of the resource, for the audit log. */
  readonly id?: string;
  readonly status: 200 | 201 | 204;
  readonly body?: JsonObject;
  readonly version?: string | undefined;
  readonly location?: string | undefined;
}

/** Content type of responses (RFC 7644, section 8.1). */
export const scimContentType = "application/scim+json; charset=utf-8";

/** Returns the address below which the account serves SCIM. */
export function scimBase({ origin }: Pick<ScimCall, "origin">): string {
  return `${origin().url}/api/scim/v2`;
}

/** Creates the handler of an operation. It throws `forbidden` if SCIM is not enabled. */
export function handleScim<O>(
  operation: O,
  run: (
    call: Call & { readonly [Part in keyof RequestOf<O>]: RequestOf<O>[Part] },
  ) => Promise<ScimReply>,
): OperationHandler {
  return {
    operation: operation as Operation,
    prepare: undefined,
    run: async (call) => {
      if (!(await readAccount(call.db)).scimEnabled) throw scimDisabled();
      await recordRequest(call);
      return run(call as Parameters<typeof run>[0]).catch((error: unknown) => {
        throw valueFailure(error);
      });
    },
    finish: async (draft, { headers, operation: { method } }) =>
      answerOf(draft as ScimReply, method === "GET" ? headers["if-none-match"] : undefined),
  };
}

/** Records the time of an integration's last request, at most once a minute, so that most requests only read. */
async function recordRequest({ db, principal, now, operation }: Call): Promise<void> {
  const { scimIntegration: integration } = principal;
  if (integration === undefined) return;
  const before = integration.last_request_at;
  const at = now();
  if (before !== null && at.getTime() - Date.parse(before) < limits.scimRequestRecordMs) return;
  const record = (tx: Db) =>
    tx
      .updateTable("scim_integrations")
      .set({ last_request_at: toTimestamp(at) })
      .where("id", "=", integration.id)
      .execute();
  await (operation.effect === "write" ? record(db) : inTransaction(db, record));
}

function scimDisabled(): Failure {
  return new Failure(
    "forbidden",
    "SCIM is disabled for this account; an administrator enables it with the tenant setting `scimEnabled`",
  );
}

function answerOf(
  { status, body, version, location }: ScimReply,
  knownTags: string | readonly string[] | undefined,
): HttpAnswer {
  const headers = {
    ...(body && { "content-type": scimContentType }),
    ...(version === undefined ? {} : { etag: version }),
    ...(location === undefined ? {} : { location }),
  };
  return version !== undefined && matchesTag(knownTags, version)
    ? new HttpAnswer({ status: 304, headers, body: undefined })
    : new HttpAnswer({ status, headers, body });
}

/** Returns the version of a resource, a weak entity tag of its stored members in a fixed order. */
export function versionOf(content: JsonObject): string {
  return `W/"${hash("sha256", JSON.stringify(content), "base64url").slice(0, 22)}"`;
}

/** Throws `precondition_failed` if the request names versions and none of them is current. */
export function requireVersion(headers: Call["headers"], current: string): void {
  const wanted = headers["if-match"];
  if (wanted === undefined || matchesTag(wanted, current)) return;
  throw new Failure(
    "precondition_failed",
    "the resource has changed; read it again and repeat the change",
  );
}

/** Clients send strong and weak tags for the same version: only the opaque part counts. */
function matchesTag(header: string | readonly string[] | undefined, current: string): boolean {
  const opaque = (tag: string) => tag.trim().replace(/^W\//i, "");
  const tags = [header ?? []].flat().flatMap((text) => text.split(","));
  return tags.some((tag) => tag.trim() === "*" || opaque(tag) === opaque(current));
}
