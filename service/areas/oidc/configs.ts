// OIDC token configurations: their rows, their rules, and the claims of their tokens.
import { randomUUID } from "node:crypto";
import type { oidcSettings } from "../../../api/oidc.ts";
import { Failure } from "../../../core/errors.ts";
import { isObject, type JsonObject } from "../../../core/json.ts";
import { limits } from "../../../core/limits/limits.ts";
import { fromJson, toFlag, toShortJson } from "../../store/codec.ts";
import type { Db, Row } from "../../store/schema.ts";
import { fieldError } from "../shared/field-error.ts";
import { omitNullish } from "../shared/operation-handler.ts";

type Settings = {
  readonly [Name in keyof typeof oidcSettings]?:
    | (Name extends "isEnabled" ? boolean : Name extends "customClaims" ? object : string)
    | null;
};

const audiences: Readonly<Record<string, string>> = {
  AWS: "sts.amazonaws.com",
  GCP: "https://iam.googleapis.com",
  Azure: "api://AzureADTokenExchange",
};

const defaultSubject = "svc:deployment:{deployment_id}";
const registeredClaims = ["iss", "sub", "aud", "exp", "nbf", "iat", "jti"];

/** Returns a configuration in its API form. */
export function showConfig(row: Row<"oidc_token_configs">) {
  return {
    id: row.id,
    audienceType: row.audience_type as "AWS",
    audience: audienceOf(row),
    name: row.name,
    ...omitNullish({
      subFormat: row.sub_format,
      targetEnvVar: row.target_env_var,
      customClaims: row.custom_claims === null ? null : claimsOf(row.custom_claims),
    }),
    isEnabled: row.is_enabled === 1,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

function audienceOf(row: Pick<Row<"oidc_token_configs">, "audience_type" | "custom_audience">) {
  return row.custom_audience ?? audiences[row.audience_type] ?? "";
}

function claimsOf(text: string): JsonObject {
  const value = fromJson(text);
  return isObject(value) ? value : {};
}

/** Returns a configuration. Throws `not_found`. */
export async function readConfig(db: Db, id: number): Promise<Row<"oidc_token_configs">> {
  const row = await db
    .selectFrom("oidc_token_configs")
    .selectAll()
    .where("id", "=", id)
    .executeTakeFirst();
  if (row) return row;
  throw new Failure("not_found", `there is no OIDC token configuration ${id}`);
}

/** Returns whether the tokens of a configuration are for the account instead of one deployment. */
export function isForAccount(
  { sub_format: format }: Pick<Row<"oidc_token_configs">, "sub_format">,
  component: string | null | undefined,
): boolean {
  return component === "global" || format?.includes("{deployment_id}") === false;
}

/** Returns the columns that a request sets; `null` restores the default. */
export function configColumns(body: Settings) {
  const { customAudience, subFormat, targetEnvVar, customClaims, isEnabled, name } = body;
  if (customClaims) refuseReservedClaims(customClaims);
  const claims = customClaims as JsonObject | null | undefined;
  const most = limits.freeFormBytes;
  return {
    ...(customAudience === undefined ? {} : { custom_audience: customAudience }),
    ...(subFormat === undefined ? {} : { sub_format: subFormat }),
    ...(targetEnvVar === undefined ? {} : { target_env_var: targetEnvVar }),
    ...(claims === undefined
      ? {}
      : { custom_claims: claims && toShortJson(claims, { name: "customClaims", most }) }),
    ...(isEnabled === undefined ? {} : { is_enabled: toFlag(isEnabled ?? true) }),
    ...(name == null ? {} : { name }),
  };
}

function refuseReservedClaims(claims: object): void {
  const reserved = Object.keys(claims).filter(
    (name) => registeredClaims.includes(name) || /^svc/i.test(name),
  );
  if (reserved.length === 0) return;
  const text = `the claims ${reserved.join(", ")} are reserved; choose other names`;
  throw fieldError("customClaims", ["invalid", text]);
}

/** Returns an unused name of a configuration: the given name, or the name with the first free number. */
export async function freeName(db: Db, name: string): Promise<string> {
  const rows = await db.selectFrom("oidc_token_configs").select("name").execute();
  const taken = new Set(rows.map((row) => row.name));
  let free = name;
  for (let number = 2; taken.has(free); number++) free = `${name}-${number}`;
  return free;
}

/** Throws `conflict` for a second configuration of a cloud or a name, and `limit_reached` for too many. */
export async function refuseConflicts(
  db: Db,
  { id, audienceType, name }: { id: number; audienceType: string; name: string },
): Promise<void> {
  const rows = await db
    .selectFrom("oidc_token_configs")
    .select(["id", "name", "audience_type"])
    .execute();
  const others = rows.filter((row) => row.id !== id);
  if (others.some((row) => row.name === name)) {
    throw new Failure("conflict", `an OIDC token configuration named ${name} exists`);
  }
  if (audienceType !== "Custom" && others.some((row) => row.audience_type === audienceType)) {
    throw new Failure("conflict", `an OIDC token configuration for ${audienceType} exists`);
  }
  if (id === 0 && rows.length >= limits.oidcConfigs) {
    const text = `an account has at most ${limits.oidcConfigs} OIDC token configurations`;
    throw new Failure("limit_reached", text);
  }
}

/** The subject of a token. */
export interface TokenSubject {
  readonly deployment: Pick<Row<"deployments">, "id" | "region">;
  readonly component: string;
  readonly issuer: string;
  readonly now: Date;
}

/** Returns the claims of a token. */
export function tokenClaims(
  row: Row<"oidc_token_configs">,
  { deployment, component, issuer, now }: TokenSubject,
): JsonObject {
  const values: Readonly<Record<string, string>> = {
    deployment_id: String(deployment.id),
    component,
    region: component === "global" ? "control-plane" : deployment.region,
  };
  const format = row.sub_format ?? defaultSubject;
  const issued = Math.floor(now.getTime() / 1000);
  return {
    ...(row.custom_claims === null ? {} : claimsOf(row.custom_claims)),
    iss: issuer,
    sub: format.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? ""),
    aud: audienceOf(row),
    iat: issued,
    nbf: issued,
    exp: issued + limits.oidcTokenSeconds,
    jti: randomUUID(),
  };
}
