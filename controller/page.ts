// The page of a controller: static files that the build wrote, with hashes in their names and compressed forms.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import path from "node:path";
import type { IncomingMessage } from "node:http";
import { errorResponse, type HttpResponse, readOnly, type Route } from "./http.ts";

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

const types: Readonly<Record<string, string>> = {
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".woff2": "font/woff2",
};

/** Permits the files of the page and its API, and nothing else. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** Finds the files beside the package, or where a checkout of the sources has them. */
export function openPage(): Page {
  const folder = ["./page/", "../page/", "../../page/", "../dist/page/"]
    .map((relative) => new URL(relative, import.meta.url))
    .find((url) => existsSync(new URL("manifest.json", url)));
  if (folder === undefined) {
    const message = "this copy of svc has no page; the API works";
    const missing = errorResponse(404, { code: "not_found", message });
    return { routeOf: (at) => (at === "/" ? readOnly(async () => missing) : undefined) };
  }
  const names = new Set(readdirSync(new URL("assets/", folder)));
  const { controller } = JSON.parse(readFileSync(new URL("manifest.json", folder), "utf8")) as {
    readonly controller: PageFiles;
  };
  const html = readOnly(async () => document(controller));
  return {
    routeOf: (at) => {
      if (at === "/") return html;
      const [, name = ""] = /^\/assets\/([\w.-]+)$/u.exec(at) ?? [];
      const type = types[path.extname(name)];
      if (type === undefined || !names.has(name)) return undefined;
      return readOnly((request) => file(request, { folder, names, name, type }));
    },
  };
}

async function file(
  { headers }: IncomingMessage,
  {
    folder,
    names,
    name,
    type,
  }: { folder: URL; names: ReadonlySet<string>; name: string; type: string },
): Promise<HttpResponse> {
  const accepted = (headers["accept-encoding"] ?? "").split(/[\s,;]+/u);
  const encodings = [
    ["br", ".br"],
    ["gzip", ".gz"],
  ] as const;
  const [encoding, suffix = ""] =
    encodings.find(([one, end]) => accepted.includes(one) && names.has(`${name}${end}`)) ?? [];
  return {
    status: 200,
    body: await readFile(new URL(`assets/${name}${suffix}`, folder)),
    headers: {
      "content-type": type,
      "cache-control": "public, max-age=31536000, immutable",
      vary: "accept-encoding",
      ...(encoding && { "content-encoding": encoding }),
    },
  };
}

function document({ script, imports, styles }: PageFiles): HttpResponse {
  const links = [
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
    "content-security-policy": policy,
    "referrer-policy": "no-referrer",
  };
  return { status: 200, body, headers };
}
