// Finds accounts and deployments by host: hosts of accounts, hosts below them, and custom domains of deployments.
import { isIP } from "node:net";
import { limits } from "../../core/limits/limits.ts";
import { normalizeHost } from "../accounts/hosts.ts";
import { findByDomain } from "../accounts/deployment-url.ts";
import type { HostDirectory } from "../data-plane/address.ts";
import type { RequestContext } from "../http/request/request-context.ts";
import type { OpenAccount } from "./accounts.ts";

/** Creates the directory. `now` is a monotonic clock, in milliseconds. */
export function createHostDirectory(
  accounts: readonly OpenAccount[],
  now: () => number,
): HostDirectory {
  // An account without hosts answers on every host.
  const everywhere = accounts.find(({ hosts }) => hosts.length === 0)?.requestContext;
  const byHost = new Map(
    accounts.flatMap(({ hosts, requestContext }) =>
      hosts.map((host) => [host, requestContext] as const),
    ),
  );
  const domains = new DomainCache(
    accounts.map(({ requestContext }) => requestContext),
    now,
  );
  // The hosts of accounts do not change, and most requests are for the same host.
  let lastOther: string | undefined;
  return {
    findAccount: (host) => everywhere ?? byHost.get(normalizeHost(host)),
    async findDeployment(sent) {
      if (sent === lastOther) return undefined;
      const host = normalizeHost(sent);
      if (byHost.has(host) || isAddress(host)) {
        lastOther = sent;
        return undefined;
      }
      const dot = host.indexOf(".");
      const parent = byHost.get(host.slice(dot + 1));
      if (parent) return { account: parent, deployment: { label: host.slice(0, dot) }, by: "host" };
      const account = await domains.accountOf(host);
      return account && { account, deployment: { domain: host }, by: "host" };
    },
  };
}

/** Returns whether a host names the local machine or is an address, which no deployment can have. */
function isAddress(host: string): boolean {
  return host === "" || host === "localhost" || isIP(host.replace(/^\[|\]$/g, "")) !== 0;
}

/** The accounts of custom domains, cached for a short time, so that unknown hosts cost little. */
class DomainCache {
  readonly #accounts: readonly RequestContext[];
  readonly #now: () => number;
  readonly #known = new Map<
    string,
    { until: number; account: Promise<RequestContext | undefined> }
  >();

  constructor(accounts: readonly RequestContext[], now: () => number) {
    this.#accounts = accounts;
    this.#now = now;
  }

  accountOf(domain: string): Promise<RequestContext | undefined> {
    const known = this.#known.get(domain);
    if (known !== undefined && known.until > this.#now()) return known.account;
    this.#known.delete(domain);
    const oldest = this.#known.keys().next().value;
    if (this.#known.size >= limits.domainsKnown && oldest !== undefined) this.#known.delete(oldest);
    const account = this.#find(domain);
    this.#known.set(domain, { until: this.#now() + limits.domainMs, account });
    // A failed lookup is not cached.
    account.catch(() => this.#known.delete(domain));
    return account;
  }

  async #find(domain: string): Promise<RequestContext | undefined> {
    for (const account of this.#accounts) {
      if (await findByDomain(account.db, domain)) return account;
    }
    return undefined;
  }
}
