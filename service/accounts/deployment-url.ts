// The URL of a deployment: a host below its account's host, or a path where the account answers at an address.
import type { AccountOrigin } from "./hosts.ts";
import type { Db, Row } from "../store/schema.ts";

type NamedDeployment = Pick<Row<"deployments">, "id" | "name">;

/** Names that are host labels, except labels that {@link deploymentLabel} derives from other names. */
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

/** Returns the host name that a deployment of the account is assigned; undefined if the account has no host. */
export function assignedHost(
  { url, hasHosts }: AccountOrigin,
  deployment: NamedDeployment,
): string | undefined {
  return hasHosts ? `${deploymentLabel(deployment)}.${new URL(url).hostname}` : undefined;
}

/**
 * Returns the URL of a deployment. A custom domain replaces the assigned host. An account without a host has its
 * deployments below a path, so that they answer on any machine.
 */
export function deploymentUrl(
  origin: AccountOrigin,
  deployment: NamedDeployment & Pick<Row<"deployments">, "custom_domain">,
): string {
  const { custom_domain: domain } = deployment;
  if (domain !== null) return `https://${domain}`;
  const host = assignedHost(origin, deployment);
  if (host === undefined) return `${origin.url}/deployments/${deploymentLabel(deployment)}`;
  const { protocol, port } = new URL(origin.url);
  return `${protocol}//${host}${port === "" ? "" : `:${port}`}`;
}

/** Returns the base URL of production, or of the environment that serves a branch. */
export function environmentUrl(
  origin: AccountOrigin,
  deployment: Parameters<typeof deploymentUrl>[1],
  branch: string | undefined,
): string {
  const path = branch === undefined ? "" : `/dev-mode/${encodeURIComponent(branch)}`;
  return `${deploymentUrl(origin, deployment)}${path}`;
}

/**
 * Returns the deployment with a label, or with the derived label of its ID, `d-d7`, which pages use because tokens name
 * deployments by their ID. Undefined if the account has none.
 */
export async function findByLabel(db: Db, label: string): Promise<Row<"deployments"> | undefined> {
  const [, id] = /-d(\d{1,9})$/.exec(label) ?? [];
  const found = await db
    .selectFrom("deployments")
    .selectAll()
    .where((eb) => (id === undefined ? eb("name", "=", label) : eb("id", "=", Number(id))))
    .executeTakeFirst();
  const isNamed = found !== undefined && [deploymentLabel(found), `d-d${found.id}`].includes(label);
  return isNamed ? found : undefined;
}

/** Returns the deployment with a custom domain; undefined if the account has none. */
export async function findByDomain(
  db: Db,
  domain: string,
): Promise<Row<"deployments"> | undefined> {
  return db
    .selectFrom("deployments")
    .selectAll()
    .where("custom_domain", "=", domain)
    .orderBy("id")
    .executeTakeFirst();
}
