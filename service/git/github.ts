// GitHub's REST API as a GitHub App: installations, repositories, branches, and tokens of installations.
import { createPrivateKey } from "node:crypto";
import { SignJWT } from "jose";
import { request } from "undici";
import { Failure } from "../../core/errors.ts";
import { isObject, type JsonObject } from "../../core/json.ts";
import { limits } from "../../core/limits/limits.ts";
import { Secret } from "../../core/secret.ts";
import { isTemporaryStatus } from "./temporary-status.ts";

/** The operator's GitHub App. */
export interface GithubApp {
  readonly appId: string;
  /** Private key of the App, PEM. */
  readonly privateKey: Secret;
  /** `https://api.github.com`, or `https://HOST/api/v3` of an own server. */
  readonly apiUrl: string;
}

/** An installation of the App. */
export interface GithubInstallation {
  readonly id: number;
  readonly login: string;
  readonly avatarUrl: string | undefined;
  readonly settingsUrl: string | undefined;
  readonly isOrganization: boolean;
}

/** A repository of an installation. */
export interface GithubRepository {
  readonly id: number;
  readonly name: string;
  readonly htmlUrl: string;
  readonly cloneUrl: string;
  readonly defaultBranch: string | undefined;
}

/** A repository by its names, and the installation that can use it. */
export interface RepositoryName {
  readonly installationId: number;
  readonly owner: string;
  readonly name: string;
}

/** The GitHub App, limited to the installations of an account. */
export interface Github {
  /** Returns the page on which the App is installed. */
  installUrl(): Promise<string>;
  installations(): Promise<readonly GithubInstallation[]>;
  /** Returns an installation. Throws `not_found` if the account cannot use it. */
  installation(id: number): Promise<GithubInstallation>;
  repositories(installationId: number): Promise<readonly GithubRepository[]>;
  /** Returns a repository. Throws `not_found` if the installation cannot use it. */
  repository(of: RepositoryName): Promise<GithubRepository>;
  branches(of: RepositoryName): Promise<readonly string[]>;
  /** Creates a repository of an organization. */
  createRepository(of: RepositoryName, isPrivate: boolean): Promise<GithubRepository>;
  /** Returns a token of an installation, which ends within the hour: for the files of the named repository only, if any. */
  token(installationId: number, repository?: string): Promise<Secret>;
}

/**
 * Creates the client of the App. `allowed` are the installations of the account; undefined for all of them, on a server
 * with one account.
 */
export function createGithub(
  app: GithubApp,
  { allowed, now }: { allowed: readonly number[] | undefined; now: () => Date },
): Github {
  const tokens = new Map<string, { token: Secret; until: number }>();
  const asApp = async (): Promise<Credential> => ({ app, token: await appToken(app, now()) });
  const installation = async (id: number): Promise<GithubInstallation> => {
    if (allowed !== undefined && !allowed.includes(id)) throw unknownInstallation(id);
    return toInstallation(await call(await asApp(), `GET /app/installations/${id}`));
  };
  const token = async (id: number, repository?: string): Promise<Secret> => {
    const key = `${id}/${repository ?? ""}`;
    const known = tokens.get(key);
    if (known !== undefined && known.until > performance.now()) return known.token;
    if (allowed !== undefined && !allowed.includes(id)) throw unknownInstallation(id);
    const part = { repositories: [repository], permissions: { contents: "write" } };
    const body = repository === undefined ? undefined : part;
    const answer = await call(await asApp(), `POST /app/installations/${id}/access_tokens`, body);
    const created = new Secret(textOf(answer, "token"));
    tokens.set(key, { token: created, until: performance.now() + limits.githubTokenMs });
    return created;
  };
  const as = async (id: number): Promise<Credential> => ({ app, token: await token(id) });
  return {
    installUrl: async () =>
      `${textOf(await call(await asApp(), "GET /app"), "html_url")}/installations/new`,
    installations: async () => {
      const found = await listAll(await asApp(), "/app/installations");
      const all = found.map(toInstallation);
      return all.filter(({ id }) => allowed === undefined || allowed.includes(id));
    },
    installation,
    repositories: async (id) =>
      (await listAll(await as(id), "/installation/repositories", "repositories")).map(toRepository),
    repository: async ({ installationId, owner, name }) =>
      toRepository(await call(await as(installationId), `GET ${repositoryPath(owner, name)}`)),
    branches: async ({ installationId, owner, name }) => {
      const path = `${repositoryPath(owner, name)}/branches` as const;
      return (await listAll(await as(installationId), path)).map((one) => textOf(one, "name"));
    },
    createRepository: async ({ installationId, owner, name }, isPrivate) => {
      const endpoint = `POST /orgs/${encodeURIComponent(owner)}/repos` as const;
      const body = { name, private: isPrivate };
      return toRepository(await call(await as(installationId), endpoint, body));
    },
    token,
  };
}

function repositoryPath(owner: string, name: string): `/${string}` {
  return `/repos/${encodeURIComponent(owner)}/${encodeURIComponent(name)}`;
}

function unknownInstallation(id: number): Failure {
  return new Failure("not_found", `there is no installation ${id} of the GitHub App`);
}

interface Credential {
  readonly app: GithubApp;
  readonly token: Secret;
}

/** Returns a token of the App itself, valid for nine minutes; GitHub allows ten. */
async function appToken({ appId, privateKey }: GithubApp, now: Date): Promise<Secret> {
  const seconds = Math.floor(now.getTime() / 1000);
  const claims = new SignJWT({ iat: seconds - 60, exp: seconds + 540, iss: appId });
  const signed = claims.setProtectedHeader({ alg: "RS256", typ: "JWT" });
  return new Secret(await signed.sign(createPrivateKey(privateKey.reveal())));
}

const pageSize = 100;

/** Returns the items of all pages. Throws `limit_reached` for more than the service reads. */
async function listAll(
  credential: Credential,
  path: `/${string}`,
  member?: string,
): Promise<readonly JsonObject[]> {
  const found: JsonObject[] = [];
  for (let page = 1; found.length < limits.githubItems; page++) {
    const answer = await call(credential, `GET ${path}?per_page=${pageSize}&page=${page}`);
    const items: unknown = member === undefined || Array.isArray(answer) ? answer : answer[member];
    if (!Array.isArray(items)) throw unexpectedAnswer();
    found.push(...items.filter(isObject));
    if (items.length < pageSize) return found;
  }
  throw new Failure(
    "limit_reached",
    `GitHub lists more than ${limits.githubItems} items; name the repository and branch directly`,
  );
}

/** A method and a path. */
type Endpoint = `${"GET" | "POST"} /${string}`;

/**
 * Sends one request. Throws `not_found`, `unavailable` if GitHub fails temporarily, and `conflict` for other errors,
 * which need someone to act.
 */
async function call(
  credential: Credential,
  endpoint: Endpoint,
  body?: object,
): Promise<JsonObject> {
  const { status, text } = await send(credential, endpoint, body);
  const value = parsed(text);
  if (status >= 200 && status < 300 && typeof value === "object" && value !== null) {
    return value as JsonObject;
  }
  const message = isObject(value) && typeof value["message"] === "string" ? value["message"] : "";
  const reason = message === "" ? `status ${status}` : `status ${status}: ${message.slice(0, 200)}`;
  if (status === 404) throw new Failure("not_found", `GitHub has no such object (${reason})`);
  if (status === 403 || status === 422) throw new Failure("conflict", `GitHub refused (${reason})`);
  const code = isTemporaryStatus(status) ? "unavailable" : "conflict";
  throw new Failure(code, `GitHub did not answer as expected (${reason})`);
}

async function send(
  { app, token }: Credential,
  endpoint: Endpoint,
  body: object | undefined,
): Promise<{ readonly status: number; readonly text: string }> {
  const [method, path] = endpoint.split(" ", 2) as ["GET" | "POST", string];
  try {
    const answer = await request(`${app.apiUrl}${path}`, {
      method,
      headers: {
        accept: "application/vnd.github+json",
        authorization: `Bearer ${token.reveal()}`,
        "content-type": "application/json",
        "user-agent": "svc-as-code",
        "x-github-api-version": "2022-11-28",
      },
      body: body === undefined ? null : JSON.stringify(body),
      signal: AbortSignal.timeout(limits.githubMs),
    });
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of answer.body) {
      size += (chunk as Buffer).length;
      if (size > limits.githubBytes) throw unexpectedAnswer();
      chunks.push(chunk as Buffer);
    }
    return { status: answer.statusCode, text: Buffer.concat(chunks).toString("utf8") };
  } catch (cause) {
    if (cause instanceof Failure) throw cause;
    throw new Failure("unavailable", "GitHub cannot be reached", { cause });
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function unexpectedAnswer(): Failure {
  return new Failure("conflict", "GitHub sent an unexpected answer");
}

function textOf(value: JsonObject, member: string): string {
  const text = value[member];
  if (typeof text === "string") return text;
  throw unexpectedAnswer();
}

function idOf(value: JsonObject): number {
  const { id } = value;
  if (typeof id === "number" && Number.isSafeInteger(id)) return id;
  throw unexpectedAnswer();
}

function optionalText(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function toInstallation(value: JsonObject): GithubInstallation {
  const owner = isObject(value["account"]) ? value["account"] : {};
  return {
    id: idOf(value),
    login: textOf(owner, "login"),
    avatarUrl: optionalText(owner["avatar_url"]),
    settingsUrl: optionalText(value["html_url"]),
    isOrganization: owner["type"] === "Organization",
  };
}

function toRepository(value: JsonObject): GithubRepository {
  return {
    id: idOf(value),
    name: textOf(value, "name"),
    htmlUrl: textOf(value, "html_url"),
    cloneUrl: textOf(value, "clone_url"),
    defaultBranch: optionalText(value["default_branch"]),
  };
}
