// The origin of an account: its own host, or the host of the request if it is valid.
import { describe, expect, it } from "vitest";
import { accountOrigin } from "./account-origin.ts";

const socket = { localAddress: "127.0.0.1", localPort: 8080 };

describe("the origin of an account", () => {
  it.each([
    [["acme.svc.example.com"], "https", "acme.svc.example.com", "https://acme.svc.example.com"],
    [
      ["acme.svc.example.com"],
      "https",
      "acme.svc.example.com:8443",
      "https://acme.svc.example.com:8443",
    ],
    [["acme.svc.example.com"], "http", "acme.svc.example.com", "https://acme.svc.example.com"],
    [
      ["acme.svc.example.com", "bi.acme.example"],
      "https",
      "acme.svc.example.com",
      "https://bi.acme.example",
    ],
    [["acme.svc.localhost"], "http", "acme.svc.localhost:8080", "http://acme.svc.localhost:8080"],
    [[], "http", "127.0.0.1:8080", "http://127.0.0.1:8080"],
    [[], "http", "[::1]:8080", "http://[::1]:8080"],
    [[], "https", "Svc.Example.com", "https://svc.example.com"],
    [[], "http", "", "http://127.0.0.1:8080"],
    [[], "http", "a/b?c", "http://127.0.0.1:8080"],
  ])("with the hosts %j, asked by %s at %j, is %s", (hosts, protocol, host, origin) => {
    const request = { protocol: protocol as "http" | "https", host, socket };
    const hasHosts = hosts.length > 0;
    expect(accountOrigin(hosts, request)).toEqual({ url: origin, hasHosts });
    expect(new URL(origin).origin).toBe(origin);
  });
});
