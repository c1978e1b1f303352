// Passes requests to the OAuth server of their account, which writes the response itself.
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Provider } from "oidc-provider";
import { type FindOAuthServer, oauthPaths } from "../../identity/oauth-server.ts";
import { publishedKeys } from "../../security/signing-keys.ts";
import { accountOrigin } from "../request/account-origin.ts";
import { requestContextOf } from "../request/request-context.ts";

/** The paths of endpoint aliases. */
const aliases: Readonly<Record<string, string>> = {
  "/auth/device/token": oauthPaths.token,
  "/auth/oauth2/refresh": oauthPaths.token,
};

const posts = [
  oauthPaths.device_authorization,
  oauthPaths.introspection,
  oauthPaths.revocation,
  oauthPaths.token,
  ...Object.keys(aliases),
];
const gets = [
  oauthPaths.authorization,
  `${oauthPaths.authorization}/:uid`,
  "/.well-known/oauth-authorization-server",
];

/** Returns the OAuth server of the account and address of a request. */
export async function oauthServerOf(
  request: FastifyRequest,
  servers: FindOAuthServer,
): Promise<Provider> {
  const context = requestContextOf(request);
  return servers(context, accountOrigin(context.hosts, request).url);
}

/** Adds the routes of the OAuth server. */
export function addOAuthServer(
  app: FastifyInstance,
  { servers }: { servers: FindOAuthServer },
): void {
  // The library reads the body itself, with its own limit.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", (_request, _payload, done) => done(null));
  const pass = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const server = await oauthServerOf(request, servers);
    await passTo(server, request, reply);
  };
  for (const url of posts) app.post(url, pass);
  for (const url of gets) app.get(url, pass);
  // The library would publish only the current key, but tokens outlive a change of keys.
  app.get(oauthPaths.jwks, async (request, reply) => {
    const { db, now } = requestContextOf(request);
    return reply.send({ keys: await publishedKeys(db, now()) });
  });
}

async function passTo(
  server: Provider,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const { raw } = request;
  describeConnection(server, request);
  const [path = "", query] = (raw.url ?? "").split("?");
  const known = path.replace(/\/$/, "");
  const target = aliases[known] ?? known;
  raw.url = query === undefined ? target : `${target}?${query}`;
  reply.hijack();
  for (const [name, value] of Object.entries(reply.getHeaders())) {
    if (value !== undefined) reply.raw.setHeader(name, value);
  }
  await server.callback()(raw, reply.raw);
}

/** Replaces the headers that describe the connection with values that this server trusts. */
export function describeConnection(server: Provider, { raw, ip }: FastifyRequest): void {
  const { host, protocol } = new URL(server.issuer);
  raw.headers.host = host;
  raw.headers["x-forwarded-host"] = host;
  raw.headers["x-forwarded-proto"] = protocol.replace(":", "");
  raw.headers["x-forwarded-for"] = ip;
}
