// An OIDC issuer: discovery, published keys that rotate, signed tokens as CI systems issue them, and the sign-in of people.
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import {
  type CryptoKey,
  exportJWK,
  generateKeyPair,
  type JWK,
  type JWTPayload,
  SignJWT,
} from "jose";
import { newPerson, type Person, serveSignIn, signInEndpoints } from "./oidc-sign-in.ts";

/** A running issuer. */
export interface TestIssuer {
  readonly url: string;
  /** The paths that were read since the start. */
  readonly reads: string[];
  /** The published keys, without their private parts. */
  readonly published: readonly JWK[];
  /** The claims of jobs that request their token as on GitHub, by the key of the request. */
  readonly jobs: Map<string, JWTPayload>;
  /** Publishes a new key that signs from now on, and stops publishing the earlier ones. */
  rotate(): Promise<void>;
  /** Signs a token that lives for five minutes, unless the claims say otherwise. A claim that is undefined is left out. */
  sign(claims: JWTPayload): Promise<string>;
  /** The person who signs in, immediately and without a prompt; tests change it. */
  readonly person: Person;
  close(): Promise<void>;
}

/** Returns a key that signs. */
async function newKey(): Promise<{ kid: string; privateKey: CryptoKey; published: JWK }> {
  const { publicKey, privateKey } = await generateKeyPair("RS256");
  const kid = randomUUID();
  const published = { ...(await exportJWK(publicKey)), kid, use: "sig", alg: "RS256" };
  return { kid, privateKey, published };
}

/** Starts an issuer on loopback. */
export async function startIssuer(): Promise<TestIssuer> {
  const reads: string[] = [];
  let current = await newKey();
  let url = "";
  const person = newPerson();
  const documents: Readonly<Record<string, () => unknown>> = {
    "/.well-known/openid-configuration": () => ({
      issuer: url,
      jwks_uri: `${url}/keys`,
      ...signInEndpoints(url),
    }),
    "/keys": () => ({ keys: [current.published] }),
    // An issuer that describes another one, and one whose answer redirects elsewhere.
    "/other/.well-known/openid-configuration": () => ({ issuer: url, jwks_uri: `${url}/keys` }),
  };
  const jobs = new Map<string, JWTPayload>();
  const sign = async (claims: JWTPayload): Promise<string> => {
    const { kid, privateKey } = current;
    const now = Math.floor(Date.now() / 1000);
    const payload = { iss: url, jti: randomUUID(), iat: now, exp: now + 300, ...claims };
    return new SignJWT(payload).setProtectedHeader({ alg: "RS256", kid }).sign(privateKey);
  };
  const signIn = serveSignIn(person, sign);
  const server = createServer((request, response) => {
    const path = request.url ?? "";
    reads.push(path);
    if (signIn(request, response)) return;
    response.setHeader("content-type", "application/json");
    if (path.startsWith("/request?")) {
      const job = jobs.get((request.headers.authorization ?? "").replace("Bearer ", ""));
      const aud = new URL(path, url).searchParams.get("audience") ?? "";
      response.statusCode = job ? 200 : 401;
      void sign({ ...job, aud }).then((value) =>
        response.end(JSON.stringify(job ? { value } : {})),
      );
      return;
    }
    const document = documents[path];
    if (path.startsWith("/moved")) response.setHeader("location", `${url}/keys`);
    response.statusCode = document ? 200 : path.startsWith("/moved") ? 302 : 404;
    response.end(JSON.stringify(document?.() ?? {}));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    reads,
    get published() {
      return [current.published];
    },
    rotate: async () => void (current = await newKey()),
    sign,
    jobs,
    person,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
