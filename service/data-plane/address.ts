// The addresses of deployments: a host, or a path below an account; and in both the path of an environment.
import { Failure } from "../../core/errors.ts";
import type { RequestContext } from "../http/request/request-context.ts";

/** The deployment that a host or a path names. */
export type DeploymentName = { readonly label: string } | { readonly domain: string };

/** An account, and a deployment in it that may not exist. */
export interface DeploymentAddress {
  readonly account: RequestContext;
  readonly deployment: DeploymentName;
  /** Whether the host or the path names the deployment. */
  readonly by: "host" | "path";
}

/** The accounts and deployments of a server by host. */
export interface HostDirectory {
  /** Finds the account of a host, which may be missing or include a port. */
  findAccount(host: string): RequestContext | undefined;
  /** Finds the account of a deployment's host. */
  findDeployment(host: string): Promise<DeploymentAddress | undefined>;
}

/** The path of a request at the address of a deployment. */
export interface EnvironmentPath {
  /** The branch of a staging or development environment; undefined for production. */
  readonly branch: string | undefined;
  /** Path of the operation, with the query. */
  readonly path: string;
}

const belowAccount = /^\/deployments\/([^/?]+)(\/.*)$/s;

/** Returns the deployment and the rest of a path below an account; undefined for another path. */
export function splitDeployment(
  url: string,
): { readonly label: string; readonly path: string } | undefined {
  const [, label, path] = belowAccount.exec(url) ?? [];
  return label === undefined || path === undefined ? undefined : { label, path };
}

/** A branch, whose name may contain slashes that are not encoded, and the first part of an operation's path. */
const belowBranch =
  /^\/dev-mode\/([^?]+?)(\/(?:livez|readyz)\/?(?:\?.*)?|\/(?:api|svcjs-api)\/.*)$/s;

/** Returns the environment of a path. Throws `invalid` for a branch with an invalid percent-encoding. */
export function splitEnvironment(url: string): EnvironmentPath {
  const [, branch, path] = belowBranch.exec(url) ?? [];
  if (branch === undefined || path === undefined) return { branch: undefined, path: url };
  try {
    return { branch: decodeURIComponent(branch), path };
  } catch (cause) {
    const what = "the branch in the path has an invalid percent-encoding";
    throw new Failure("invalid", what, { cause });
  }
}
