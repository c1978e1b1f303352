// Area oidc: OIDC token configurations, their tokens, and the discovery of the issuer.
import {
  createOidcTokenConfig,
  deleteOidcTokenConfig,
  getOidcDiscovery,
  getOidcKeys,
  getOidcTokenConfig,
  issueOidcToken,
  listOidcTokenConfigs,
  updateOidcTokenConfig,
} from "../../../api/oidc.ts";
import { Failure } from "../../../core/errors.ts";
import { limits } from "../../../core/limits/limits.ts";
import { readAccount } from "../../accounts/account.ts";
import {
  currentKey,
  makeKey,
  publishedKeys,
  signToken,
  storeKey,
} from "../../security/signing-keys.ts";
import { requirePermission } from "../../security/require-permission.ts";
import { toTimestamp } from "../../store/codec.ts";
import type { Db } from "../../store/schema.ts";
import { fieldError } from "../shared/field-error.ts";
import {
  handle,
  handleList,
  handlePrepared,
  type OperationHandler,
} from "../shared/operation-handler.ts";
import { singlePage } from "../shared/pagination.ts";
import {
  configColumns,
  freeName,
  isForAccount,
  readConfig,
  refuseConflicts,
  showConfig,
  tokenClaims,
} from "./configs.ts";

/** The handlers of this area. */
export const oidc: readonly OperationHandler[] = [
  handleList(listOidcTokenConfigs, async ({ db }) => {
    await requireEnabled(db);
    const rows = await db.selectFrom("oidc_token_configs").selectAll().orderBy("id").execute();
    return singlePage(rows.map(showConfig));
  }),
  handle(createOidcTokenConfig, async ({ db, body, now }) => {
    await requireEnabled(db);
    const { audienceType, ...settings } = body;
    const name = settings.name ?? (await freeName(db, audienceType.toLowerCase()));
    await refuseConflicts(db, { id: 0, audienceType, name });
    const at = toTimestamp(now());
    const columns = { is_enabled: 1, ...configColumns(settings), name };
    const row = await db
      .insertInto("oidc_token_configs")
      .values({ ...columns, audience_type: audienceType, created_at: at, updated_at: at })
      .returningAll()
      .executeTakeFirstOrThrow();
    return showConfig(row);
  }),
  handle(getOidcTokenConfig, async ({ db, params }) => {
    await requireEnabled(db);
    return showConfig(await readConfig(db, params.id));
  }),
  handle(updateOidcTokenConfig, async ({ db, params, body, now }) => {
    await requireEnabled(db);
    const { audience_type: audienceType, name } = await readConfig(db, params.id);
    if (body.customAudience === null) refuseWithoutAudience(audienceType);
    await refuseConflicts(db, { id: params.id, audienceType, name: body.name ?? name });
    await db
      .updateTable("oidc_token_configs")
      .set({ ...configColumns(body), updated_at: toTimestamp(now()) })
      .where("id", "=", params.id)
      .execute();
    return showConfig(await readConfig(db, params.id));
  }),
  handle(deleteOidcTokenConfig, async ({ db, params }) => {
    await requireEnabled(db);
    await readConfig(db, params.id);
    await db.deleteFrom("oidc_token_configs").where("id", "=", params.id).execute();
  }),
  handlePrepared(issueOidcToken, {
    // Generating a key takes too long for a transaction.
    prepare: async ({ db, now, params }) => {
      await requireEnabled(db);
      await readConfig(db, params.id);
      return (await currentKey(db, now())) ? undefined : makeKey();
    },
    run: async ({ db, params, body, now, sealer, principal }, newKey) => {
      const config = await readConfig(db, params.id);
      // In that case every deployment gets the same token.
      if (isForAccount(config, body.component)) requirePermission(principal, "SecretsManage", []);
      if (config.is_enabled !== 1) {
        throw new Failure("conflict", `the OIDC token configuration ${params.id} is disabled`);
      }
      const deployment = await db
        .selectFrom("deployments")
        .select(["id", "region"])
        .where("id", "=", body.deploymentId)
        .executeTakeFirst();
      if (!deployment) {
        throw new Failure("not_found", `there is no deployment ${body.deploymentId}`);
      }
      const known = await currentKey(db, now());
      const key =
        known ?? (await storeKey(db, newKey ?? (await makeKey()), { sealer, now: now() }));
      return { key, config, deployment };
    },
    finish: async ({ key, config, deployment }, { body, origin, now, sealer }) => {
      const component = body.component ?? "svc_api";
      const issuer = origin().url;
      const claims = tokenClaims(config, { deployment, component, issuer, now: now() });
      return {
        token: await signToken(key, claims, sealer),
        expiresIn: limits.oidcTokenSeconds,
      };
    },
  }),
  handle(getOidcDiscovery, async ({ db, origin }) => {
    await requireEnabled(db);
    const { url } = origin();
    return {
      issuer: url,
      jwks_uri: `${url}${getOidcKeys.path}`,
      response_types_supported: ["id_token"],
      subject_types_supported: ["public"],
      id_token_signing_alg_values_supported: ["RS256"],
      claims_supported: ["iss", "sub", "aud", "iat", "nbf", "exp", "jti"],
    };
  }),
  handle(getOidcKeys, async ({ db, now }) => {
    await requireEnabled(db);
    return { keys: [...(await publishedKeys(db, now()))] as never };
  }),
];

async function requireEnabled(db: Db): Promise<void> {
  const { oidcEnabled } = await readAccount(db);
  if (oidcEnabled) return;
  throw new Failure(
    "not_found",
    "OIDC is disabled for this account; an administrator can enable it in the tenant settings",
  );
}

function refuseWithoutAudience(audienceType: string): void {
  if (audienceType !== "Custom") return;
  throw fieldError("customAudience", ["invalid", "is required by the audience type Custom"]);
}
