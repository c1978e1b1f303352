// Identity providers: their rows and their rules.
import type { updateIdentityProvider } from "../../../api/identity-providers.ts";
import { Failure } from "../../../core/errors.ts";
import { limits } from "../../../core/limits/limits.ts";
import type { RequestOf } from "../../../core/operation/operation.ts";
import { externalSignInPath } from "../../identity/external-sign-in.ts";
import { identityProviderSealContext } from "../../security/sealed-columns.ts";
import { sealChanged, type Sealer } from "../../security/seal.ts";
import { trustClaims } from "../../security/workload-trust.ts";
import { fromJson, toJson } from "../../store/codec.ts";
import type { Db, Row } from "../../store/schema.ts";
import { fieldError } from "../shared/field-error.ts";
import { omitNullish } from "../shared/operation-handler.ts";

/** Converts a provider to its API form. `origin` is the account's. */
export function showProvider(row: Row<"identity_providers">, origin: string) {
  const domains = row.email_domains;
  return {
    id: row.id,
    name: row.name,
    issuer: row.issuer,
    clientId: row.client_id,
    ...omitNullish({
      displayName: row.display_name,
      emailDomains: domains === null ? null : (fromJson(domains) as string[]),
    }),
    claims: [...trustClaims(row)],
    redirectUri: `${origin}${externalSignInPath(row.name)}/callback`,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

/** Issuers of Microsoft Entra ID for users of any organization. */
const sharedIssuer =
  /^https:\/\/(?:login\.(?:microsoftonline\.(?:com|us)|windows\.net|partner\.microsoftonline\.cn|chinacloudapi\.cn)|sts\.windows\.net)\/(?:common|organizations|consumers|9188040d-6c67-4c5b-b112-36a304b66dad)(?:\/|$)/i;

type Update = RequestOf<typeof updateIdentityProvider>["body"];

/** Returns the columns that a request sets, without the secret; `null` restores the default. */
export function providerColumns(body: Update) {
  const { name, displayName, issuer, clientId, emailDomains, claims } = body;
  if (issuer !== undefined && sharedIssuer.test(issuer)) {
    const what = "an issuer of many organizations, which would sign in users of all of them";
    throw fieldError("issuer", ["invalid", `${issuer} is ${what}; name the one of your tenant`]);
  }
  return {
    ...(name !== undefined && { name }),
    ...(displayName !== undefined && { display_name: displayName }),
    ...(issuer !== undefined && { issuer }),
    ...(clientId !== undefined && { client_id: clientId }),
    ...(emailDomains !== undefined && {
      email_domains: emailDomains && toJson([...new Set(emailDomains)]),
    }),
    ...(claims !== undefined && { claims: toJson(claims ?? []) }),
  };
}

/** Encrypts the secret of a provider, unless `current` has it already. */
export function sealProviderSecret(
  sealer: Sealer,
  { issuer, secret }: { issuer: string; secret: string },
  current?: Pick<Row<"identity_providers">, "issuer" | "sealed_secret">,
): string {
  const sealed = current?.issuer === issuer ? current.sealed_secret : null;
  return sealChanged(sealer, secret, { sealed, context: identityProviderSealContext({ issuer }) });
}

/** Throws `conflict` for a name that another provider has, and `limit_reached` for too many providers. */
export async function refuseConflict(db: Db, name: string, id = 0): Promise<void> {
  const rows = await db.selectFrom("identity_providers").select(["id", "name"]).execute();
  if (rows.some((row) => row.id !== id && row.name === name)) {
    throw new Failure("conflict", `an identity provider named ${JSON.stringify(name)} exists`);
  }
  if (id === 0 && rows.length >= limits.identityProviders) {
    const text = `an account has at most ${limits.identityProviders} identity providers`;
    throw new Failure("limit_reached", text);
  }
}

/** Returns a provider. Throws `not_found`. */
export async function readProvider(db: Db, id: number): Promise<Row<"identity_providers">> {
  const row = await db
    .selectFrom("identity_providers")
    .selectAll()
    .where("id", "=", id)
    .executeTakeFirst();
  if (row) return row;
  throw new Failure("not_found", `there is no identity provider ${id}`);
}
