// `svc oidc`: OIDC token configurations, and tokens of deployments.
import { dirname, resolve } from "node:path";
import {
  createOidcTokenConfig,
  deleteOidcTokenConfig,
  getOidcDiscovery,
  getOidcKeys,
  getOidcTokenConfig,
  issueOidcToken,
  listOidcTokenConfigs,
  updateOidcTokenConfig,
} from "../../api/oidc.ts";
import type { JsonObject } from "../../core/json.ts";
import { shellQuote } from "../../core/text/shell-quote.ts";
import { makePrivateFolder, writeAtomically } from "../../files/atomic-files.ts";
import { type Area, command, type Outcome, type RunContext } from "../operations/command.ts";
import { deploymentLookup } from "../shared/lookup/deployment-argument.ts";
import type { Lookup } from "../shared/lookup/lookup.ts";

const configLookup: Lookup = {
  label: "config",
  list: listOidcTokenConfigs,
  listCommand: "oidc list",
  names: ["name"],
};
const lookups = { id: configLookup };

/** Commands that manage OIDC token configurations, and issue tokens of deployments. */
export const oidc: Area = {
  name: "oidc",
  description: "Manage OIDC token configurations, and issue tokens of deployments.",
  commands: [
    command("list", listOidcTokenConfigs, {
      columns: {
        ID: "id",
        NAME: "name",
        TYPE: "audienceType",
        AUDIENCE: "audience",
        SUBJECT: "subFormat",
        ENABLED: "isEnabled",
      },
    }),
    command("get", getOidcTokenConfig, { lookups }),
    command("create", createOidcTokenConfig, { arguments: ["audienceType"] }),
    command("update", updateOidcTokenConfig, { lookups }),
    command("delete", deleteOidcTokenConfig, { lookups }),
    command("token", issueOidcToken, {
      lookups: { ...lookups, deploymentId: deploymentLookup },
      arguments: ["deploymentId"],
      extraOptions: [
        {
          syntax: "--file <path>",
          doc: "write the token to a file that only you can read, and print the variable that names it",
        },
      ],
      run: issueToken,
    }),
    command("discovery", getOidcDiscovery),
    command("keys", getOidcKeys),
  ],
};

/** Issues a token, and writes it to the file that cloud SDKs read. */
async function issueToken({ client, request, extra }: RunContext): Promise<Outcome> {
  const { token, expiresIn } = await client.call(issueOidcToken, request as never);
  const { file } = extra.options;
  if (typeof file !== "string") return { answer: { token, expiresIn } };
  const path = resolve(file);
  makePrivateFolder(dirname(path));
  writeAtomically(path, [token]);
  const { targetEnvVar } = await client.call(getOidcTokenConfig, {
    params: request.params,
  } as never);
  const answer: JsonObject = {
    file: path,
    expiresIn,
    ...(targetEnvVar !== undefined && { targetEnvVar }),
  };
  const line = targetEnvVar === undefined ? path : `export ${targetEnvVar}=${shellQuote(path)}`;
  return { answer, content: Buffer.from(`${line}\n`) };
}
