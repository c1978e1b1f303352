// The endpoints of an OIDC issuer at which people sign in: immediately, as whom the test says.
import { createHash, randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import type { JWTPayload } from "jose";

/** The issuer's claims about the person who signs in. */
export interface Person {
  claims: JWTPayload;
  /** Claims that only the user information contains. */
  information: JWTPayload;
  /** The issuer that the redirect names; undefined if it names none. */
  iss: string | undefined;
  /** Replaces the ID token. */
  forge: ((claims: JWTPayload) => Promise<string>) | undefined;
}

/** Returns a person without claims. */
export function newPerson(): Person {
  return { claims: {}, information: {}, iss: undefined, forge: undefined };
}

/** The client of the sign-ins. */
export const issuerClient = { clientId: "analytics", clientSecret: "s/ecret: 1" };

/** Returns the endpoints that the issuer publishes. */
export function signInEndpoints(url: string) {
  return {
    authorization_endpoint: `${url}/authorize`,
    token_endpoint: `${url}/token`,
    userinfo_endpoint: `${url}/userinfo`,
    id_token_signing_alg_values_supported: ["RS256", "HS256", "none"],
    authorization_response_iss_parameter_supported: true,
  };
}

/** Returns a handler of the requests of a sign-in; it returns false for others. */
export function serveSignIn(person: Person, sign: (claims: JWTPayload) => Promise<string>) {
  const codes = new Map<string, URLSearchParams>();
  const respond = (response: ServerResponse, body: object): void => {
    response.setHeader("content-type", "application/json");
    response.statusCode = "error" in body ? 400 : 200;
    response.end(JSON.stringify(body));
  };
  return (request: IncomingMessage, response: ServerResponse): boolean => {
    const [path, query] = (request.url ?? "").split("?");
    if (path === "/authorize") {
      const location = authorize(codes, person, new URLSearchParams(query));
      response.writeHead(302, { location }).end();
    } else if (path === "/token") {
      void exchangeCode(codes, person, { request, sign }).then((body) => respond(response, body));
    } else if (path === "/userinfo") {
      respond(response, { ...person.claims, ...person.information });
    } else return false;
    return true;
  };
}

type Codes = Map<string, URLSearchParams>;

/** Returns the address to which the browser is redirected. */
function authorize(codes: Codes, { iss }: Person, query: URLSearchParams): string {
  const code = randomUUID();
  codes.set(code, query);
  const back = new URL(query.get("redirect_uri") ?? "");
  back.searchParams.set("code", code);
  back.searchParams.set("state", query.get("state") ?? "");
  if (iss !== undefined) back.searchParams.set("iss", iss);
  return back.href;
}

async function exchangeCode(
  codes: Codes,
  person: Person,
  { request, sign }: { request: IncomingMessage; sign: (claims: JWTPayload) => Promise<string> },
): Promise<object> {
  const form = new URLSearchParams(await text(request));
  const authorization = codes.get(form.get("code") ?? "");
  codes.delete(form.get("code") ?? "");
  const { clientId, clientSecret } = issuerClient;
  const [, basic = ""] = (request.headers.authorization ?? "").split("Basic ");
  // RFC 6749, section 2.3.1: both parts are encoded as in forms.
  const [[id, secret] = []] = new URLSearchParams(
    Buffer.from(basic, "base64").toString().replace(":", "="),
  );
  const challenge = createHash("sha256").update(form.get("code_verifier") ?? "");
  const isRight =
    id === clientId &&
    secret === clientSecret &&
    authorization?.get("redirect_uri") === form.get("redirect_uri") &&
    authorization?.get("code_challenge") === challenge.digest("base64url");
  if (!isRight) return { error: "invalid_grant" };
  const claims = { aud: clientId, nonce: authorization?.get("nonce"), ...person.claims };
  const id_token = await (person.forge ?? sign)(claims);
  return { access_token: randomUUID(), token_type: "Bearer", id_token };
}
