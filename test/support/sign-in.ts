// Provides a browser without scripts for the sign-in pages, and users who may sign in.
import { request } from "undici";
import { type CommandResult, startSvc } from "../golden/run-cli.ts";
import type { TestResponse, TestService } from "./test-service.ts";

/** Sends a form without cookies, as programs do. */
export async function postForm(
  url: string,
  fields: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = {},
): Promise<TestResponse> {
  const answer = await request(url, {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
    body: new URLSearchParams(fields).toString(),
  });
  const text = await answer.body.text();
  const isJson = /json/.test(String(answer.headers["content-type"]));
  const body: unknown = isJson ? JSON.parse(text) : undefined;
  return { status: answer.statusCode, headers: answer.headers, text, body };
}

/** Creates a user and the link with which it sets its password. */
export async function invite(
  service: Pick<TestService, "send">,
  { username, isAdmin }: { username: string; isAdmin: boolean },
): Promise<{ id: number; url: string }> {
  const body = { username, email: `${username}@example.com`, isAdmin };
  const { id } = (await service.send("POST", "/api/v1/users", { body })).body as { id: number };
  const created = await service.send("POST", `/api/v1/users/${id}/password-link`);
  return { id, url: (created.body as { url: string }).url };
}

/** Signs a new user in, as `svc login` does. Returns its tokens, and the ID of the user. */
export async function loginOf(
  service: Pick<TestService, "send" | "url">,
  user: { readonly username: string; readonly isAdmin: boolean },
  scope = "api",
): Promise<{ token: string; refreshToken: string; id: number }> {
  const browser = new Browser(service.url);
  const { url, id } = await invite(service, user);
  await browser.setPassword(url, "correct horse battery");
  const post = async (path: string, fields: Record<string, string>) => {
    const { body } = await postForm(`${service.url}${path}`, { client_id: "svc-cli", ...fields });
    return body as Record<string, string>;
  };
  const { device_code = "", user_code = "" } = await post("/auth/device/code", { scope });
  await browser.decide(user_code, "approve");
  const grant_type = "urn:ietf:params:oauth:grant-type:device_code";
  const tokens = await post("/auth/device/token", { grant_type, device_code });
  const { access_token: token, refresh_token: refreshToken } = tokens;
  if (!token || !refreshToken) throw new Error("the login was not approved");
  return { token, refreshToken, id };
}

/** Starts `svc login` in a process. Returns the code and the page that it prints, and its result. */
export async function startLogin(
  flags: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<{ code: string; page: string; ended: Promise<CommandResult> }> {
  const { child, ended } = await startSvc(["login", ...flags], { env });
  let printed = "";
  const [, page = "", code = ""] = await new Promise<RegExpExecArray>((resolve, reject) => {
    child.stderr?.on("data", (chunk) => {
      printed += String(chunk);
      const found = /Open (\S+) .* code ([B-Z]{4}-[B-Z]{4})/.exec(printed);
      if (found) resolve(found);
    });
    ended.then(({ err }) => reject(new Error(err)), reject);
  });
  return { code, page, ended };
}

/** A browser: it keeps cookies and does not follow redirects by itself. */
export class Browser {
  readonly #base: string;
  readonly #host: string;
  readonly #cookies = new Map<string, string>();

  /** `host` replaces the host of the address in requests. */
  constructor(base: string, host = new URL(base).host) {
    this.#base = base;
    this.#host = host;
  }

  /** Opens a page. */
  get(path: string): Promise<TestResponse> {
    return this.#send(path, { method: "GET" });
  }

  /** Sends JSON as a script of a page of this server does, or of another origin. */
  postJson(path: string, body: object, origin = this.#base): Promise<TestResponse> {
    const type = "application/json";
    return this.#send(path, { method: "POST", body: JSON.stringify(body) }, { type, origin });
  }

  /** Sends a form of a page of this server. */
  post(path: string, fields: Readonly<Record<string, string>>): Promise<TestResponse> {
    return this.#send(path, { method: "POST", body: new URLSearchParams(fields).toString() });
  }

  /** Sends a password for a link. */
  submitPassword(link: string, password: string): Promise<TestResponse> {
    const token = new URL(link).searchParams.get("token") ?? "";
    return this.post("/auth/password", { token, password });
  }

  /** Sets a password with a link, which signs in. Throws if it does not. */
  async setPassword(link: string, password: string): Promise<void> {
    const { status, text } = await this.submitPassword(link, password);
    if (status !== 303) throw new Error(`the password was not set: ${text}`);
  }

  /** Signs in. */
  signIn(name: string, password: string): Promise<TestResponse> {
    return this.post("/auth/sign-in", { name, password, next: "/auth/device" });
  }

  /** Approves or denies a device. Returns the page. */
  async decide(code: string, decision: "approve" | "deny"): Promise<string> {
    return (await this.post("/auth/device", { user_code: code, decision })).text;
  }

  /** Starts an authorization and approves it. Returns the address of the client to which the last redirect goes. */
  async authorize(path: string): Promise<string> {
    let next = path;
    for (let steps = 0; steps < 8; steps++) {
      const isApproval = next.startsWith("/auth/authorize/");
      const { headers, text } = isApproval
        ? await this.post(next, { decision: "approve" })
        : await this.get(next);
      const { location } = headers;
      if (typeof location !== "string") throw new Error(`no redirect from ${next}: ${text}`);
      const url = new URL(location, this.#base);
      if (url.origin !== this.#base) return location;
      next = `${url.pathname}${url.search}`;
    }
    throw new Error("the authorization does not end");
  }

  async #send(
    path: string,
    sent: { method: "GET" | "POST"; body?: string },
    {
      type = "application/x-www-form-urlencoded",
      origin = `http://${this.#host}`,
    }: { type?: string; origin?: string } = {},
  ): Promise<TestResponse> {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const answer = await request(`${this.#base}${path}`, {
      ...sent,
      headers: {
        host: this.#host,
        ...(cookie === "" ? {} : { cookie }),
        ...(sent.body === undefined ? {} : { "content-type": type, origin }),
      },
    });
    for (const line of [answer.headers["set-cookie"] ?? []].flat()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      this.#cookies.set(name, value);
    }
    const text = await answer.body.text();
    const isJson = /json/.test(String(answer.headers["content-type"]));
    const body: unknown = isJson ? JSON.parse(text) : undefined;
    return { status: answer.statusCode, headers: answer.headers, text, body };
  }
}
