// A stand-in for GitHub's REST API, with repositories that Git clones and pushes to: one App with one installation.
import { generateKeyPairSync, verify } from "node:crypto";
import { createServer, type Server } from "node:http";
import { basename } from "node:path";
import { Secret } from "../../core/secret.ts";
import type { GithubApp } from "../../service/git/github.ts";
import { createRemote, remotesFolder, type TestRemote } from "./git-remotes.ts";
import { gitServer } from "./git-server.ts";
import { listen } from "./listen.ts";

/** The organization, the user and the token of their installations. */
export const githubInstallation = { id: 42, login: "acme" } as const;
const userInstallation = { id: 43, login: "jo" } as const;
const token = "ghs_stand-in";

/** The bodies of the requests for tokens. */
export const githubTokenRequests: unknown[] = [];

interface Repository {
  readonly id: number;
  readonly remote: TestRemote;
}

const repositories = new Map<string, Repository>();

/** Creates a repository of the organization. */
export function createGithubRepository(name: string): TestRemote {
  const remote = createRemote();
  repositories.set(name, { id: repositories.size + 1, remote });
  return remote;
}

let app: Promise<GithubApp> | undefined;

/**
 * Returns the App of the services of tests. Its server starts with the first one, and does not keep the process alive.
 */
export function testGithubApp(): Promise<GithubApp> {
  return (app ??= startStandIn());
}

async function startStandIn(): Promise<GithubApp> {
  const git = await gitServer(remotesFolder, token);
  git.server.unref();
  const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const isApp = (credential: string): boolean => {
    const [head = "", claims = "", signature = ""] = credential.split(".");
    const text = Buffer.from(`${head}.${claims}`);
    return verify("RSA-SHA256", text, publicKey, Buffer.from(signature, "base64url"));
  };
  const server: Server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    const credential = (request.headers.authorization ?? "").replace("Bearer ", "");
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const isKnown = pathname.startsWith("/app") ? isApp(credential) : credential === token;
      const body = chunks.length === 0 ? {} : JSON.parse(Buffer.concat(chunks).toString());
      const answer = isKnown
        ? answerOf(`${request.method} ${pathname}`, { body, git: git.url })
        : [401, {}];
      response.writeHead(Number(answer[0]), { "content-type": "application/json" });
      response.end(JSON.stringify(answer[1]));
    });
  });
  const url = await listen(server);
  server.unref();
  const pem = privateKey.export({ type: "pkcs8", format: "pem" });
  return { appId: "1", privateKey: new Secret(String(pem)), apiUrl: url };
}

const installationOf = (id: number, login: string, type: string) => ({
  id,
  html_url: `https://github.example/settings/installations/${id}`,
  account: { login, type, avatar_url: `https://github.example/${login}.png` },
});
const installations = [
  installationOf(githubInstallation.id, githubInstallation.login, "Organization"),
  installationOf(userInstallation.id, userInstallation.login, "User"),
];

function answerOf(
  call: string,
  { body, git }: { body: Readonly<Record<string, unknown>>; git: string },
): readonly [number, unknown] {
  const show = (name: string, { id, remote }: Repository) => ({
    id,
    name,
    html_url: `https://github.example/acme/${name}`,
    clone_url: `${git}/${basename(remote.path)}`,
    default_branch: "main",
  });
  if (call === "GET /app") return [200, { html_url: "https://github.example/apps/svc" }];
  if (call === "GET /app/installations") return [200, installations];
  const [, installation, isToken] =
    /^\w+ \/app\/installations\/(\d+)(\/access_tokens)?$/.exec(call) ?? [];
  const found = installations.find(({ id }) => id === Number(installation));
  if (found && isToken !== undefined) githubTokenRequests.push(body);
  if (found) return isToken === undefined ? [200, found] : [201, { token }];
  if (call === "GET /installation/repositories") {
    return [200, { repositories: [...repositories].map(([name, one]) => show(name, one)) }];
  }
  if (call === "POST /orgs/acme/repos") {
    const name = String(body["name"]);
    createGithubRepository(name);
    return [201, show(name, repositories.get(name) as Repository)];
  }
  const [, name = "", isBranches] = /^GET \/repos\/acme\/([^/]+)(\/branches)?$/.exec(call) ?? [];
  const repository = repositories.get(name);
  if (repository === undefined) return [404, { message: "Not Found" }];
  if (isBranches === undefined) return [200, show(name, repository)];
  const names = repository.remote.git("for-each-ref", "--format=%(refname:short)", "refs/heads");
  return [
    200,
    names
      .split("\n")
      .filter(Boolean)
      .map((branch) => ({ name: branch })),
  ];
}
