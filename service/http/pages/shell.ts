// The documents of the pages for viewers. They name the page's files and what the account decides; the page asks for the rest.
import { acceptedLanguages, workspaceTitle } from "../../areas/app/workspace-title.ts";
import type { AppConfig } from "../../areas/app/app-config.ts";
import { html, type Html } from "../sign-in/html.ts";
import type { PageFiles } from "./assets.ts";
import { allowedOrigins, frameAncestors } from "./framing.ts";

/** A page of viewers. */
export interface ShellRequest {
  readonly surface: "dashboard" | "home";
  readonly config: AppConfig;
  readonly files: PageFiles;
  /** Whether the address has a session. */
  readonly isSigned: boolean;
  /** The `Accept-Language` of the browser. */
  readonly languages: string | undefined;
}

const product = "svc";

/** Returns a document and its headers. It is the same whether or not the dashboard exists. */
export function shellOf({ surface, config, files, isSigned, languages }: ShellRequest) {
  const account = workspaceTitle(config, acceptedLanguages(languages)) ?? product;
  const origins = allowedOrigins(config);
  const { locale, timezone } = config.embedding ?? {};
  const page = {
    surface,
    product,
    account,
    ...(locale !== undefined && { locale }),
    ...(timezone !== undefined && { timezone }),
    allowedOrigins: origins,
  };
  const later = surface === "dashboard" ? files.later : [];
  const { text } = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <link rel="icon" href="data:," />
        <meta name="svc-page" content="${JSON.stringify(page)}" />
        <title>${account}</title>
        <script src="/assets/${files.first}" fetchpriority="high"></script>
        <link rel="preload" as="font" type="font/woff2" crossorigin href="/assets/${files.font}" />
        ${files.styles.map((name) => html`<link rel="stylesheet" href="/assets/${name}" />`)}
        <link rel="stylesheet" href="/pages/theme.css" />
        ${files.imports.map(preload)}
        <script type="module" src="/assets/${files.script}"></script>
        ${later.map(
          (name) => html`<link rel="modulepreload" href="/assets/${name}" fetchpriority="low" />`,
        )}
      </head>
      <body>
        <div id="app"></div>
        <noscript>This page needs JavaScript.</noscript>
      </body>
    </html> `;
  const headers = {
    ...shellHeaders(frameAncestors(origins, { isSigned })),
    // The home signs out with a form, which has no origin under the default policy, no-referrer.
    ...(surface === "home" && { "referrer-policy": "same-origin" }),
  };
  return { text, headers };
}

function preload(name: string): Html {
  return html`<link rel="modulepreload" href="/assets/${name}" />`;
}

/** Returns headers of a document: scripts, styles and fonts are files of this server, pictures may come from anywhere. */
function shellHeaders(ancestors: string): Record<string, string> {
  return {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "font-src 'self'",
      "img-src 'self' https: http: data: blob:",
      "connect-src 'self'",
      "form-action 'self'",
      "base-uri 'none'",
      `frame-ancestors ${ancestors}`,
    ].join("; "),
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
    vary: "accept-language",
  };
}
