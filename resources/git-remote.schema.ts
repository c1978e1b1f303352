// Fields of the Git remotes that resource types name, and requests that remove their values.
import { Type } from "typebox";
import type { ObjectWrite } from "../core/kind/kind.ts";
import { field } from "../core/schema/traits.ts";

/** The field for the URL of a remote. */
export const remoteUrlField = field(Type.String({ minLength: 1, maxLength: 2048 }), {
  doc: "URL of the Git remote: `https://host/path`, `ssh://user@host/path`, `user@host:path`, or a folder on the server.",
});

/** Returns the schema of a secret that the API never returns. */
function remoteSecret(doc: string, maxLength = 16_384) {
  return Type.Optional(
    field(Type.String({ minLength: 1, maxLength }), { doc, sensitive: true, writeOnly: true }),
  );
}

/** The field for the secret of webhooks. */
export const webhookSecretField = remoteSecret(
  "Secret that signs webhooks: GitHub's secret or GitLab's token.",
  1024,
);

/** The fields for the credential of a remote. */
export const remoteCredential = {
  username: Type.Optional(
    field(Type.String({ minLength: 1, maxLength: 255 }), {
      doc: "User name for the token. Defaults to `x-access-token`.",
      whenOmitted: "clear",
    }),
  ),
  knownHosts: Type.Optional(
    field(Type.String({ minLength: 1, maxLength: 16_384 }), {
      doc: "Host keys that SSH accepts, as `ssh-keyscan` prints them. Required for SSH.",
      whenOmitted: "clear",
    }),
  ),
  token: remoteSecret("Token or password for HTTPS."),
  privateKey: remoteSecret("Private key for SSH, without a passphrase."),
};

/**
 * Returns the declared members, and an empty string for each one that is no longer declared, which removes the stored
 * value.
 */
export function declaredOrEmpty<Name extends string>(
  { spec, changed }: ObjectWrite<Readonly<Partial<Record<Name, string>>>>,
  names: readonly Name[],
): { [N in Name]?: string } {
  const sent: { [N in Name]?: string } = {};
  for (const name of names) {
    const value = spec[name] ?? (changed.has(name) ? "" : undefined);
    if (value !== undefined) sent[name] = value;
  }
  return sent;
}
