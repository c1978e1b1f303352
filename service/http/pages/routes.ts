// The pages of viewers: published dashboards, the home, and a page for addresses that have none.
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { Failure } from "../../../core/errors.ts";
import { readAppConfig } from "../../areas/app/app-config.ts";
import { admitRequests, type RequestAdmission } from "../request/request-admission.ts";
import { requestContextOf } from "../request/request-context.ts";
import { renderPage } from "../sign-in/browser.ts";
import { html } from "../sign-in/html.ts";
import { pageThemeStyle } from "../sign-in/theme.ts";
import { type Assets, openAssets } from "./assets.ts";
import { shellOf } from "./shell.ts";

/** Adds the routes. */
export function addPages(
  app: FastifyInstance,
  { admission }: { readonly admission: RequestAdmission },
): void {
  const assets = openAssets();
  void app.register(async (scope) => {
    admitRequests(scope, admission);
    scope.get("/embed/dashboard/:publicId", async (request, reply) =>
      sendShell(request, reply, { surface: "dashboard", assets }),
    );
    scope.get("/", async (request, reply) => {
      if (!acceptsPages(request)) throw unknownRoute();
      return sendShell(request, reply, { surface: "home", assets });
    });
    scope.get("/pages/theme.css", async (request, reply) => {
      const theme = pageThemeStyle(await readAppConfig(requestContextOf(request).db));
      return reply
        .type("text/css; charset=utf-8")
        .header("cache-control", "max-age=300")
        .send(theme);
    });
  });
  // Files are the same for every account and cost nothing to send.
  app.get<{ Params: { file: string } }>("/assets/:file", async (request, reply) =>
    assets.send(request, reply, request.params.file),
  );
  app.get("/embed/svc-embed.js", async (request, reply) => assets.sendEmbedScript(request, reply));
}

async function sendShell(
  request: FastifyRequest,
  reply: FastifyReply,
  { surface, assets }: { readonly surface: "dashboard" | "home"; readonly assets: Assets },
): Promise<FastifyReply> {
  const files = assets.viewer;
  if (files === undefined) {
    throw new Failure("unavailable", "the pages of this server were not built", {
      remedy: "Run npm run build, or install the package of the service.",
    });
  }
  const query = request.query as Readonly<Record<string, unknown>>;
  const { text, headers } = shellOf({
    surface,
    files,
    config: await readAppConfig(requestContextOf(request).db),
    isSigned: typeof query["session"] === "string",
    languages: request.headers["accept-language"],
  });
  return reply.headers(headers).send(text);
}

/** Returns whether a browser opens an address, not a program, and not one of the API. */
export function acceptsPages({ method, headers, url }: FastifyRequest): boolean {
  const isApi = /^\/(?:api|build)\//u.test(url);
  return method === "GET" && !isApi && headers.accept?.includes("text/html") === true;
}

/** Returns the failure for an address without a page and an operation. */
export function unknownRoute(): Failure {
  return new Failure(
    "unknown_route",
    "there is no such operation; GET /api/v1/spec lists the operations of this server",
  );
}

/** Sends the page for an address that has none. */
export async function sendUnknownPage(
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const page = {
    title: "Page not found",
    body: html`<p>There is no page at this address.</p>
      <p><a class="button" href="/">Open the home page</a></p>`,
  };
  const { requestContext, headers: sent } = request;
  const reader = { db: requestContext?.db, languages: sent["accept-language"] };
  const { headers, text } = await renderPage(page, reader);
  return reply.code(404).headers(headers).send(text);
}
