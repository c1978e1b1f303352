// Builds request URLs: the origin of the server, paths with encoded parameters, and queries.
import { Failure } from "../core/errors.ts";
import { sanitize } from "./sanitize.ts";

/** Returns the origin of `url`. Fails with `usage` unless it is a plain https origin; http requires loopback or `allowHttp`. */
export function parseOrigin(url: string, allowHttp: boolean): string {
  const parsed = URL.parse(url);
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) {
    const complete = withScheme(url);
    if (complete !== undefined) {
      throw new Failure("usage", `the server address ${url} has no scheme`, {
        remedy: `Use ${complete}.`,
      });
    }
    throw new Failure("usage", "the server address must be a URL", {
      remedy: "Use a URL such as https://acme.example.com.",
    });
  }
  if (parsed.username !== "" || parsed.password !== "") {
    throw usageFailure("the server URL must not contain a user name or password");
  }
  if (parsed.pathname !== "/" || parsed.search !== "" || parsed.hash !== "") {
    throw usageFailure(`the server URL must not contain a path: use ${parsed.origin}`);
  }
  if (parsed.protocol === "http:" && !allowHttp && !isLoopback(parsed.hostname)) {
    throw usageFailure(`${parsed.origin} would receive the key in clear text: use https`);
  }
  return parsed.origin;
}

/** Returns an address to send to. Fails with `usage` for one that is no URL, and for http to another machine; never shows it. */
export function parseEndpoint(what: string, url: string): string {
  const parsed = URL.parse(url);
  const isPlain = parsed?.protocol === "http:" && isLoopback(parsed.hostname);
  if (parsed !== null && (parsed.protocol === "https:" || isPlain)) return parsed.href;
  throw usageFailure(`${what} must be an https URL; http is for this machine only`);
}

/** Returns the URL that a host, with or without a port, stands for; undefined for anything else. */
function withScheme(address: string): string | undefined {
  if (!/^(?:[\w.-]+|\[[\da-f:]+\])(?::\d{1,5})?\/?$/iu.test(address)) return undefined;
  const { hostname, host } = URL.parse(`https://${address}`) ?? {};
  if (hostname === undefined) return undefined;
  return `${isLoopback(hostname) ? "http" : "https"}://${host}`;
}

function usageFailure(message: string): Failure {
  return new Failure("usage", message);
}

function isLoopback(host: string): boolean {
  return /^(?:localhost|.+\.localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(host);
}

/** Fills in the parameters of a path. Fails with `invalid` for a value that would change the route. */
export function fillPath(
  template: string,
  params: Readonly<Record<string, string | number>> = {},
): string {
  return template.replace(/\{([^}]+)\}/g, (_, name: string) => pathSegment(name, params[name]));
}

function pathSegment(name: string, value: string | number | undefined): string {
  const text = value === undefined ? "" : String(value);
  // Proxies resolve dot segments, and an empty segment changes the route.
  if (text === "" || text === "." || text === ".." || !text.isWellFormed()) {
    throw new Failure(
      "invalid",
      `"${sanitize(text)}" is not a valid value of the path parameter ${name}`,
    );
  }
  return encodeURIComponent(text);
}

/** Returns a query such as `?a=1&b=2&b=3`, or "" if nothing is set. Repeats lists; omits `undefined` and `null`. */
export function queryText(query: Readonly<Record<string, unknown>> = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one === undefined || one === null) continue;
      if (!["string", "number", "boolean"].includes(typeof one)) {
        throw new Failure("invalid", `the query parameter ${name} must not be an object`);
      }
      search.append(name, String(one));
    }
  }
  return search.size === 0 ? "" : `?${search.toString()}`;
}

/** Checks a path that a user entered: absolute, without an origin. Adds the query. Fails with `usage`. */
export function rawPath(path: string, query?: Readonly<Record<string, unknown>>): string {
  const wrong = !/^\/(?!\/)/.test(path) || path.includes("#") || path.includes("\\");
  if (wrong || !/^[\u0021-\u007e]+$/.test(path)) {
    throw new Failure(
      "usage",
      `"${sanitize(path)}" is not a path; use a path such as /api/v1/regions`,
    );
  }
  const more = queryText(query);
  return path.includes("?") ? path + more.replace("?", "&") : path + more;
}
