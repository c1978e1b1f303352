// The address of an embedded dashboard.
import { describe, expect, it } from "vitest";
import { dashboardAddress, filterParameter } from "./address.ts";

const options = { url: "https://acme.example.com/any?path", publicId: "a b/c" };

describe("the address of an embedded dashboard", () => {
  it("has the session, filters, language and other parameters, each once", () => {
    const { origin, pathname, searchParams } = dashboardAddress(
      {
        ...options,
        filters: {
          "orders.status": "paid",
          "orders.region": ["north", "a&b=c"],
          "orders.amount": { operator: "gt", value: 5 },
        },
        locale: "de-DE",
        timezone: "Europe/Berlin",
        parameters: { showDashboardHeader: false, locale: "fr-FR", session: "another" },
      },
      "s1",
    );
    expect([origin, pathname]).toEqual(["https://acme.example.com", "/embed/dashboard/a%20b%2Fc"]);
    expect(Object.fromEntries(searchParams)).toEqual({
      showDashboardHeader: "false",
      locale: "de-DE",
      timezone: "Europe/Berlin",
      "f_orders.status": '{"value":"paid"}',
      "f_orders.region": '{"value":["north","a&b=c"]}',
      "f_orders.amount": '{"operator":"gt","value":5}',
      session: "s1",
    });
  });

  it("has no session for viewers who sign in", () => {
    const parameters = { session: "another" };
    expect(dashboardAddress({ ...options, parameters }, undefined).search).toBe("");
  });

  it.each(["javascript:alert(1)", "data:text/html,x", "ftp://acme.example.com", "acme", ""])(
    "refuses %j, which is no web address",
    (url) => expect(() => dashboardAddress({ ...options, url }, "s1")).toThrow(TypeError),
  );

  it("carries values of filters in actions as they are, percent signs included", () => {
    const [name, text = ""] = filterParameter("orders.note", "100%25 & more").split("=");
    expect(name).toBe("f_orders.note");
    expect(JSON.parse(decodeURIComponent(text))).toEqual({ value: "100%25 & more" });
  });

  it("clears a filter with null, and takes it back without a value", () => {
    expect(filterParameter("orders.note", null)).toBe("f_orders.note=null");
    expect(filterParameter("orders.note", undefined)).toBe("f_orders.note=");
    const { searchParams } = dashboardAddress({ ...options, filters: { "a.b": null } }, "s1");
    expect(searchParams.get("f_a.b")).toBe("null");
  });
});
