// The URL of a deployment: a host below its account's host, or a path where the account answers at an address.
import { isIP } from "node:net";
import type { Db, Row } from "../../store/schema.ts";

type NamedDeployment = Pick<Row<"deployments">, "id" | "name">;

/** Names that are host labels, less those that {@link deploymentLabel} makes for other names. */
const labelName = /^(?!.*-d\d+$)(?!..--)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** Returns a host label that no other deployment of the account has: the name, or its characters and the ID. */
export function deploymentLabel({ id, name }: NamedDeployment): string {
  if (labelName.test(name)) return name;
  const spelled = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-/, "")
    .slice(0, 40)
    .replace(/-$/, "");
  return spelled === "" ? `d-d${id}` : `${spelled}-d${id}`;
}

/** Returns the host name that a deployment of the account at `origin` is assigned; undefined below an address. */
export function assignedHost(origin: string, deployment: NamedDeployment): string | undefined {
  const { hostname } = new URL(origin);
  const isAddress = hostname === "localhost" || isIP(hostname.replace(/^\[|\]$/g, "")) !== 0;
  return isAddress ? undefined : `${deploymentLabel(deployment)}.${hostname}`;
}

/**
 * Returns the URL of a deployment of the account at `origin`. A custom domain replaces the assigned host. An account
 * without a host name has its deployments below a path, so that they answer on any machine.
 */
export function deploymentUrl(
  origin: string,
  deployment: NamedDeployment & Pick<Row<"deployments">, "custom_domain">,
): string {
  const { custom_domain: domain } = deployment;
  if (domain !== null) return `https://${domain}`;
  const host = assignedHost(origin, deployment);
  if (host === undefined) return `${origin}/deployments/${deploymentLabel(deployment)}`;
  const { protocol, port } = new URL(origin);
  return `${protocol}//${host}${port === "" ? "" : `:${port}`}`;
}

/** Returns the base URL of the data API of production, or of the environment that serves a branch. */
export function dataApiUrl(
  origin: string,
  deployment: Parameters<typeof deploymentUrl>[1],
  branch: string | undefined,
): string {
  const path = branch === undefined ? "" : `/dev-mode/${encodeURIComponent(branch)}`;
  return `${deploymentUrl(origin, deployment)}${path}/svcjs-api/v1`;
}

/** Returns whether the account has a deployment with this label. */
export async function hasDeployment(db: Db, label: string): Promise<boolean> {
  const [, id] = /-d(\d{1,9})$/.exec(label) ?? [];
  const found = await db
    .selectFrom("deployments")
    .select(["id", "name"])
    .where((eb) => (id === undefined ? eb("name", "=", label) : eb("id", "=", Number(id))))
    .executeTakeFirst();
  return found !== undefined && deploymentLabel(found) === label;
}
