// The page of a controller: static files that the build wrote, with hashes in their names and compressed forms.
import type { IncomingMessage } from "node:http";
import { escapeHtml } from "../core/text/escape-html.ts";
import { type BuiltAssets, openBuiltAssets } from "../files/built-assets.ts";
import type { LoginConfig } from "./config.ts";
import { errorResponse, type HttpResponse, notFound, readOnly, type Route } from "./http.ts";

/** The files of the page. */
export interface Page {
  /** Returns the route of `/` or a file; undefined for another path. */
  routeOf(path: string): Route | undefined;
}

/** What the page loads, as the build names it. */
interface PageFiles {
  readonly script: string;
  readonly imports: readonly string[];
  readonly styles: readonly string[];
}

/** Permits the files of the page, its API and the server where people sign in, and nothing else. */
const policyFor = (server: string) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "font-src 'self'",
    `connect-src 'self' ${server}`.trim(),
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");

/** Finds the files beside the package, or where a checkout of the sources has them. */
export function openPage(login: LoginConfig | undefined): Page {
  const places = ["./page/", "../page/", "../../page/", "../dist/page/"];
  const assets = openBuiltAssets(places.map((place) => new URL(place, import.meta.url)));
  if (assets === undefined) {
    const message = "this copy of svc has no page; the API works";
    const missing = errorResponse(404, { code: "not_found", message });
    return { routeOf: (at) => (at === "/" ? readOnly(async () => missing) : undefined) };
  }
  const { controller } = assets.manifest as object as { readonly controller: PageFiles };
  const html = readOnly(async () => document(controller, login));
  return {
    routeOf: (at) => {
      if (at === "/") return html;
      const [, path = ""] = /^\/(assets\/[\w.-]+)$/u.exec(at) ?? [];
      return assets.has(path) ? readOnly((request) => file(request, assets, path)) : undefined;
    },
  };
}

async function file(
  { headers }: IncomingMessage,
  assets: BuiltAssets,
  path: string,
): Promise<HttpResponse> {
  const asset = await assets.read(path, headers["accept-encoding"]);
  if (asset === undefined) return notFound;
  const caching = { "cache-control": "public, max-age=31536000, immutable" };
  return { status: 200, body: asset.content, headers: { ...asset.headers, ...caching } };
}

function document(
  { script, imports, styles }: PageFiles,
  login: LoginConfig | undefined,
): HttpResponse {
  const { server = "", clientId = "" } = login?.clientId === undefined ? {} : login;
  const links = [
    `<meta name="login-server" content="${escapeHtml(server)}">`,
    `<meta name="login-client" content="${escapeHtml(clientId)}">`,
    ...styles.map((name) => `<link rel="stylesheet" href="/assets/${name}">`),
    ...imports.map((name) => `<link rel="modulepreload" href="/assets/${name}">`),
  ];
  const body = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>svc controller</title>
${links.join("\n")}
<script type="module" src="/assets/${script}"></script>
</head>
<body>
<div id="app"></div>
</body>
</html>
`;
  const headers = {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": policyFor(server),
    "referrer-policy": "no-referrer",
  };
  return { status: 200, body, headers };
}
