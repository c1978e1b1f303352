// Users and devices that sign in to a service, and the tokens that they get: what the tests of sign-in, OAuth and identity
// providers share.
import { afterAll, beforeAll, expect } from "vitest";
import type { ServerOptions } from "../../service/server/server.ts";
import { Browser, invite, postForm } from "./sign-in.ts";
import { startService, type TestResponse, type TestService } from "./test-service.ts";

/** The password of users of these tests. */
export const password = "correct horse battery";

/** The grant of the device flow. */
export const deviceGrant = "urn:ietf:params:oauth:grant-type:device_code";

/** The response of a token endpoint. */
export interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly error?: string;
}

/** The codes of a device that waits for an approval. */
export interface DeviceCodes {
  readonly device_code: string;
  readonly user_code: string;
  readonly verification_uri_complete: string;
}

/** A service for the tests of a file, and the calls of its sign-in. */
export interface SignInSessions {
  readonly service: () => TestService;
  /** Sends a form without cookies. */
  readonly form: (path: string, fields: Record<string, string>) => Promise<TestResponse>;
  readonly startDevice: (scope?: string) => Promise<DeviceCodes>;
  /** Requests the tokens of a device once. */
  readonly poll: (deviceCode: string, clientId?: string) => Promise<TestResponse>;
  readonly refresh: (token: string, clientId?: string) => Promise<TestResponse>;
  /** Creates a user who has signed in. */
  readonly signedIn: (
    username: string,
    isAdmin?: boolean,
  ) => Promise<{ browser: Browser; user: { id: number; url: string } }>;
  /** Signs in on a device as the user of a browser. */
  readonly deviceTokens: (browser: Browser, scope?: string) => Promise<Tokens>;
  /** Reads the user of a credential. */
  readonly me: (key: string) => Promise<TestResponse>;
}

/** Starts a service for the tests of a file, and closes it after them. */
export function useSignInSessions(options: Partial<ServerOptions> = {}): SignInSessions {
  let started: TestService | undefined;
  beforeAll(async () => {
    started = await startService(options);
  });
  afterAll(() => started?.close());
  const service = (): TestService => {
    if (started === undefined) throw new Error("the service runs in tests only");
    return started;
  };
  const form: SignInSessions["form"] = (path, fields) =>
    postForm(`${service().url}${path}`, fields);
  const startDevice: SignInSessions["startDevice"] = async (scope) => {
    const request = { client_id: "svc-cli", ...(scope === undefined ? {} : { scope }) };
    const { status, body } = await form("/auth/device/code", request);
    expect(status).toBe(200);
    return body as DeviceCodes;
  };
  const poll: SignInSessions["poll"] = (device_code, client_id = "svc-cli") =>
    form("/auth/device/token", { grant_type: deviceGrant, device_code, client_id });
  return {
    service,
    form,
    startDevice,
    poll,
    refresh: (refresh_token, client_id = "svc-cli") =>
      form("/auth/oauth2/refresh", { grant_type: "refresh_token", refresh_token, client_id }),
    signedIn: async (username, isAdmin = true) => {
      const browser = new Browser(service().url);
      const user = await invite(service(), { username, isAdmin });
      await browser.setPassword(user.url, password);
      return { browser, user };
    },
    deviceTokens: async (browser, scope) => {
      const device = await startDevice(scope);
      await browser.decide(device.user_code, "approve");
      const { status, body } = await poll(device.device_code);
      expect({ status, body }).toMatchObject({ status: 200 });
      return body as Tokens;
    },
    me: (key) => service().send("GET", "/api/v1/users/me", { key }),
  };
}
