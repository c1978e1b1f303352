// The URLs of deployments: labels are valid and unique, and accounts without a host name get paths.
import { describe, expect, it } from "vitest";
import { assignedHost, deploymentLabel, deploymentUrl } from "./deployment-url.ts";

const own = (url: string) => ({ url, hasHosts: true });
const named = (name: string, id = 7) => ({ id, name, custom_domain: null });

describe("the label of a deployment", () => {
  it.each([
    ["main", "main"],
    ["sales-2026", "sales-2026"],
    ["Sales & More", "sales-more-d7"],
    ["sales-d7", "sales-d7-d7"],
    ["xn--bcher-kva", "xn-bcher-kva-d7"],
    ["-edge-", "edge-d7"],
    ["日本", "d-d7"],
    ["..", "d-d7"],
    ["a".repeat(63), "a".repeat(63)],
    ["a".repeat(64), `${"a".repeat(40)}-d7`],
  ])("%j is %s", (name, label) => {
    expect(deploymentLabel(named(name))).toBe(label);
    expect(label).toMatch(/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/);
  });

  it("differs for deployments whose names differ", () => {
    const all = ["sales", "Sales", "sales-d1", "sales-d2", "SALES", "sales-d5", "sales d1"];
    const labels = all.map((name, index) => deploymentLabel(named(name, index + 1)));
    expect(new Set(labels).size).toBe(all.length);
  });
});

describe("the URL of a deployment", () => {
  it.each([
    ["https://acme.svc.example.com", "https://main.acme.svc.example.com"],
    ["https://acme.example:8443", "https://main.acme.example:8443"],
  ])("of the account with the host %s is %s", (origin, url) => {
    expect(deploymentUrl(own(origin), named("main"))).toBe(url);
  });

  it.each(["http://127.0.0.1:8080", "http://[::1]:8080", "https://svc.example.com"])(
    "of an account that answers on every host, at %s, is a path",
    (url) => {
      const origin = { url, hasHosts: false };
      expect(deploymentUrl(origin, named("main"))).toBe(`${url}/deployments/main`);
      expect(assignedHost(origin, named("main"))).toBeUndefined();
    },
  );

  it("has the custom domain as its host", () => {
    const custom = { ...named("main"), custom_domain: "bi.example.com" };
    expect(deploymentUrl(own("https://acme.example"), custom)).toBe("https://bi.example.com");
    expect(assignedHost(own("https://acme.example"), custom)).toBe("main.acme.example");
  });
});
