// Where a request goes: the one origin a client talks to, and bare paths with encoded parameters and queries.
import { Failure } from "../core/errors.ts";
import { sanitize } from "./sanitize.ts";

/** Origin of the server at `url`. Fails with `usage` for anything but a bare https origin, or http on loopback unless `allowHttp`. */
export function parseOrigin(url: string, allowHttp: boolean): string {
  const parsed = URL.parse(url);
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) {
    throw new Failure("usage", "The server's address has to be a URL.", {
      remedy: "Give one such as https://acme.example.com.",
    });
  }
  if (parsed.username !== "" || parsed.password !== "") {
    throw usageFailure("The server's address must not hold a user name or password.");
  }
  if (parsed.pathname !== "/" || parsed.search !== "" || parsed.hash !== "") {
    throw usageFailure(`Give only the server's origin: ${parsed.origin}`);
  }
  if (parsed.protocol === "http:" && !allowHttp && !isLoopback(parsed.hostname)) {
    throw usageFailure(`${parsed.origin} would send the key in clear text: use https.`);
  }
  return parsed.origin;
}

function usageFailure(message: string): Failure {
  return new Failure("usage", message);
}

function isLoopback(host: string): boolean {
  return /^(?:localhost|.+\.localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(host);
}

/** `template` with its `{param}`s filled in. Fails with `invalid` for a value that would change which path it is. */
export function fillPath(
  template: string,
  params: Readonly<Record<string, string | number>> = {},
): string {
  return template.replace(/\{([^}]+)\}/g, (_, name: string) => pathSegment(name, params[name]));
}

function pathSegment(name: string, value: string | number | undefined): string {
  const text = value === undefined ? "" : String(value);
  // Proxies resolve dot segments, and an empty one names another route.
  if (text === "" || text === "." || text === ".." || !text.isWellFormed()) {
    throw new Failure("invalid", `“${sanitize(text)}” cannot be used as ${name} in a path.`);
  }
  return encodeURIComponent(text);
}

/** `?a=1&b=2&b=3`, or "" where nothing is set; lists are repeated, `undefined` and `null` left out. */
export function queryText(query: Readonly<Record<string, unknown>> = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one === undefined || one === null) continue;
      if (!["string", "number", "boolean"].includes(typeof one)) {
        throw new Failure("invalid", `The query parameter ${name} cannot be an object.`);
      }
      search.append(name, String(one));
    }
  }
  return search.size === 0 ? "" : `?${search.toString()}`;
}

/** A path that a person gave: absolute, of this origin, with its query. Fails with `usage`. */
export function rawPath(path: string, query?: Readonly<Record<string, unknown>>): string {
  const wrong = !/^\/(?!\/)/.test(path) || path.includes("#") || path.includes("\\");
  if (wrong || !/^[\u0021-\u007e]+$/.test(path)) {
    throw new Failure("usage", `“${sanitize(path)}” is not a path such as /api/v1/regions.`);
  }
  const more = queryText(query);
  return path.includes("?") ? path + more.replace("?", "&") : path + more;
}
