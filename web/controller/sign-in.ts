// Signs people in at the server of the platform: an authorization code with PKCE, and tokens in memory only.
import { isObject } from "../../core/json.ts";
import { ApiFailure, type Session } from "./api.ts";

/** The server, and the OAuth client of this page there. */
interface Login {
  readonly server: string;
  readonly clientId: string;
}

/** What the tab keeps until the server has answered. */
interface Begun {
  readonly state: string;
  readonly verifier: string;
  /** Where the person was. */
  readonly place: string;
}

/** The answer of the server, and the sign-in that this tab began, if it did. */
export interface SignInAnswer {
  readonly answer: URLSearchParams;
  readonly begun: Begun | undefined;
}

const storageKey = "svc-controller-sign-in";
const redirectUri = `${location.origin}/`;
/** How long before its end a token is replaced. */
const marginMs = 60_000;

/** Undefined if the controller has no sign-in for its page. */
export const login = readLogin();

/** Leaves the page for the server. Throws an {@link ApiFailure}. */
export async function beginSignIn({ server, clientId }: Login): Promise<void> {
  const begun: Begun = { state: randomText(), verifier: randomText(), place: location.hash };
  let challenge: string;
  try {
    const bytes = new TextEncoder().encode(begun.verifier);
    challenge = encode(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)));
    sessionStorage.setItem(storageKey, JSON.stringify(begun));
  } catch {
    const remedy = "Open the page by https or at http://127.0.0.1, and let it keep data.";
    throw new ApiFailure(0, "This browser cannot sign in here.", remedy);
  }
  const query = new URLSearchParams({
    response_type: "code",
    // A fragment reaches no server and no log.
    response_mode: "fragment",
    client_id: clientId,
    redirect_uri: redirectUri,
    scope: "api",
    state: begun.state,
    code_challenge: challenge,
    code_challenge_method: "S256",
  });
  location.assign(`${server}/auth/oauth2/authorize?${query}`);
}

/** Returns the answer in the address, and removes it there and what the tab kept. The address is then that of before. */
export function takeAnswer(): SignInAnswer | undefined {
  const answer = new URLSearchParams(location.hash.slice(1));
  if (!answer.has("state")) return undefined;
  const begun = takeBegun();
  history.replaceState(null, "", `/${begun?.place ?? ""}`);
  return { answer, begun };
}

/** Returns the session of an answer. Throws an {@link ApiFailure} if the server refused, or this tab did not ask. */
export function sessionOf(at: Login, { answer, begun }: SignInAnswer): Session {
  const remedy = "Sign in again.";
  if (begun === undefined || begun.state !== answer.get("state")) {
    throw new ApiFailure(401, "This tab has not begun this sign-in.", remedy);
  }
  const code = answer.get("code");
  if (code === null) {
    const why = answer.get("error_description") ?? answer.get("error") ?? "no reason";
    throw new ApiFailure(401, `The server refused the sign-in: ${why}.`, remedy);
  }
  let access = "";
  let renewAt = 0;
  let grant: Readonly<Record<string, string>> = {
    grant_type: "authorization_code",
    code,
    redirect_uri: redirectUri,
    code_verifier: begun.verifier,
  };
  const renew = async (): Promise<void> => {
    const tokens = await requestTokens(at, grant);
    grant = { grant_type: "refresh_token", refresh_token: tokens.refresh };
    access = tokens.access;
    renewAt = Date.now() + tokens.seconds * 1000 - marginMs;
  };
  // A refresh token works once: requests at the same time wait for one.
  let renewing: Promise<void> | undefined;
  return {
    token: async () => {
      if (Date.now() >= renewAt) {
        await (renewing ??= renew().finally(() => (renewing = undefined)));
      }
      return access;
    },
    // What the server does not answer then ends by itself.
    end: () => void (access && send(at, "revoke", { token: access }).catch(() => undefined)),
  };
}

async function requestTokens(at: Login, grant: Readonly<Record<string, string>>) {
  const response = await send(at, "token", grant);
  const body: unknown = await response.json().catch(() => undefined);
  const { access_token, refresh_token, expires_in, error_description } = isObject(body) ? body : {};
  if (response.ok && typeof access_token === "string") {
    const refresh = typeof refresh_token === "string" ? refresh_token : "";
    return { access: access_token, refresh, seconds: Number(expires_in) };
  }
  if (response.status === 400 || response.status === 401) {
    const why = typeof error_description === "string" ? ` (${error_description})` : "";
    throw new ApiFailure(401, `The login has ended${why}.`, "Sign in again.");
  }
  throw new ApiFailure(
    response.status,
    `${at.server} answered with the status ${response.status}.`,
    "Try again later.",
  );
}

async function send(
  { server, clientId }: Login,
  endpoint: "token" | "revoke",
  fields: Readonly<Record<string, string>>,
): Promise<Response> {
  // Of a server that does not answer, and of one that refuses this origin, a page learns nothing.
  return fetch(`${server}/auth/oauth2/${endpoint}`, {
    method: "POST",
    body: new URLSearchParams({ client_id: clientId, ...fields }),
    credentials: "omit",
    cache: "no-store",
  }).catch(() => {
    const remedy = `Check that it runs, and that the client ${clientId} has the address ${redirectUri}.`;
    throw new ApiFailure(0, `${server} does not answer this page.`, remedy);
  });
}

function takeBegun(): Begun | undefined {
  try {
    const text = sessionStorage.getItem(storageKey);
    sessionStorage.removeItem(storageKey);
    return text === null ? undefined : (JSON.parse(text) as Begun);
  } catch {
    return undefined;
  }
}

function readLogin(): Login | undefined {
  const [server = "", clientId = ""] = ["login-server", "login-client"].map(
    (name) => document.querySelector<HTMLMetaElement>(`meta[name=${name}]`)?.content,
  );
  return clientId === "" ? undefined : { server, clientId };
}

function randomText(): string {
  return encode(crypto.getRandomValues(new Uint8Array(32)));
}

function encode(bytes: Uint8Array): string {
  const base64 = btoa(String.fromCharCode(...bytes));
  return base64.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/u, "");
}
