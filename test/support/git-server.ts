// Serves a Git repository over HTTP or HTTPS as forges do: Git's own program behind a small server that requires a token.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { buffer } from "node:stream/consumers";
import { gitBytes } from "../../git/command.ts";
import type { IssuedCertificate } from "./certificates.ts";
import { listen } from "./listen.ts";

/** A server of repositories. */
export interface GitServer extends AsyncDisposable {
  readonly url: string;
  readonly server: Server;
  /**
   * From the next request whose path has this end, executes requests but drops their responses; undefined to respond
   * again.
   */
  loseAnswers(suffix: string | undefined): void;
  /** Never responds to the fetches of a repository, whose references it lists. Returns how many hang. */
  hangFetches(path: string): () => number;
}

/** Serves the repositories below a folder to clients with one of the tokens, under any user name. */
export async function gitServer(root: string, ...tokens: readonly string[]): Promise<GitServer> {
  return serveRepositories(root, { tokens });
}

/** Serves them over HTTPS with a certificate. */
export async function secureGitServer(
  root: string,
  certificate: IssuedCertificate,
  ...tokens: readonly string[]
): Promise<GitServer> {
  return serveRepositories(root, { tokens, certificate });
}

async function serveRepositories(
  root: string,
  {
    tokens,
    certificate,
  }: { readonly tokens: readonly string[]; readonly certificate?: IssuedCertificate },
): Promise<GitServer> {
  let lost: string | undefined;
  let isLost = false;
  let hung: string | undefined;
  let hanging = 0;
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    const [, login = ""] = /^Basic (.+)$/.exec(request.headers.authorization ?? "") ?? [];
    const [, token = ""] = Buffer.from(login, "base64").toString().split(":");
    if (!tokens.includes(token)) {
      response.writeHead(401, { "www-authenticate": "Basic" }).end();
      return;
    }
    isLost ||= lost !== undefined && (request.url ?? "").endsWith(lost);
    const isDropped = isLost;
    void serve(root, request, (input) => {
      const isFetch = input.includes("command=fetch");
      const isHung = isFetch && hung !== undefined && (request.url ?? "").startsWith(hung);
      if (isHung) hanging++;
      return isHung;
    }).then(
      ({ status, headers, body }) =>
        isDropped ? response.destroy() : response.writeHead(status, headers).end(body),
      () => response.destroy(),
    );
  };
  const server =
    certificate === undefined ? createServer(answer) : createSecureServer(certificate, answer);
  const url = await listen(server);
  return {
    url: certificate === undefined ? url : url.replace("http:", "https:"),
    server,
    loseAnswers: (suffix) => {
      lost = suffix;
      isLost = false;
    },
    hangFetches: (path) => {
      hung = path;
      return () => hanging;
    },
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

interface GitResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** Makes Git answer a request. Starts it from a small process, because this process is large. */
async function serve(
  root: string,
  request: IncomingMessage,
  isHung: (input: Buffer) => boolean,
): Promise<GitResponse> {
  const { pathname, search } = new URL(request.url ?? "/", "http://localhost");
  const env = {
    PATH: process.env["PATH"],
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_PROJECT_ROOT: root,
    GIT_HTTP_EXPORT_ALL: "1",
    PATH_INFO: pathname,
    QUERY_STRING: search.slice(1),
    REQUEST_METHOD: request.method,
    CONTENT_TYPE: request.headers["content-type"],
    CONTENT_LENGTH: request.headers["content-length"],
    HTTP_CONTENT_ENCODING: request.headers["content-encoding"],
    GIT_PROTOCOL: String(request.headers["git-protocol"] ?? ""),
  };
  const input = await buffer(request);
  if (isHung(input)) return new Promise(() => undefined);
  const all = await gitBytes(["http-backend"], { cwd: root, env, input });
  const end = all.indexOf("\r\n\r\n");
  const lines = all.subarray(0, Math.max(end, 0)).toString("latin1").split("\r\n");
  const headers = lines.map((line) => line.split(": ", 2) as [string, string]);
  const status = Number(headers.find(([name]) => name === "Status")?.[1].slice(0, 3) ?? 200);
  const own = headers.filter(([name]) => name !== "Status" && name !== "");
  return { status, headers: Object.fromEntries(own), body: all.subarray(end + 4) };
}
