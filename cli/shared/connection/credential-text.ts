// Describes the credential of a command: its type, its source and its limits.
import type { getCurrentUser } from "../../../api/users.ts";
import type { AnswerOf } from "../../../core/operation/operation.ts";
import { escapeInvisible } from "../../../core/text/escape-text.ts";
import type { ServerAccess } from "./connection.ts";

type CurrentUser = AnswerOf<typeof getCurrentUser>;

const types = {
  "api-key": "API key",
  "access-token": "sign-in",
  "workload-token": "workload token",
  "embed-token": "token of an embed session",
} as const;

const sources = {
  given: "from an option",
  environment: "from SVC_API_KEY",
  oidc: "exchanged for the OIDC token of the environment",
  context: "from the context",
} as const;

/** Returns the type, name, source and expiry of the credential, such as `API key "ci" from SVC_API_KEY`. */
export function credentialText(
  { credential }: CurrentUser,
  { source, renewCredential }: Pick<ServerAccess, "source" | "renewCredential">,
): string {
  const { type, name, expiresAt } = credential ?? {};
  const what = type === undefined ? "credential" : types[type];
  const named = name === undefined ? "" : ` "${escapeInvisible(name)}"`;
  const renewed = renewCredential === undefined ? "" : " and is renewed then";
  const end = expiresAt === undefined ? "" : `; it expires at ${expiresAt}${renewed}`;
  return `${what}${named} ${sources[source]}${end}`;
}

/** Returns the limits of the credential, by subject; empty for one with all rights of its user. */
export function limitTexts({ permissions }: CurrentUser): ReadonlyMap<string, string> {
  const { actions, deployments, states } = permissions?.limits ?? {};
  return new Map([
    ...(actions === undefined ? [] : [["permissions", actions.join(", ")] as const]),
    ...(deployments === undefined ? [] : [["deployments", deployments.join(", ")] as const]),
    ...(states === undefined
      ? []
      : [["states", states.map(({ name, access }) => `${access} ${name}`).join(", ")] as const]),
  ]);
}
