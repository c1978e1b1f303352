// The variables of data sources.
import { expect, test } from "vitest";
import { dataSourceOf } from "./data-sources.ts";

test.each(["postgres", "mysql", "clickhouse"])(
  "variables of TLS that a source of type %s does not read are refused by name",
  (type) => {
    const complete = { TYPE: type, HOST: "db", NAME: "data", USER: "svc", PASS: "secret" };
    const sourceOf = (more: Readonly<Record<string, string>>) =>
      dataSourceOf(
        new Map(
          Object.entries({ ...complete, ...more }).map(([name, value]) => [
            `SVC_DS_STOCK_DB_${name}`,
            value,
          ]),
        ),
        "stock",
      );
    expect(sourceOf({ SSL: "true", SSL_CA: "PEM" })).toMatchObject({
      type,
      at: { isEncrypted: true, authorities: "PEM" },
    });
    expect(sourceOf({ PASS: "" })).toMatchObject({ at: { password: "" } });
    expect(() => sourceOf({ USER: "" })).toThrow("needs the variable SVC_DS_STOCK_DB_USER");
    expect(() => sourceOf({ SSL_REJECT_UNAUTHORIZED: "false" })).toThrow(
      "the variable SVC_DS_STOCK_DB_SSL_REJECT_UNAUTHORIZED is not supported; a certificate is always checked, with SVC_DS_STOCK_DB_SSL_CA if that is set",
    );
  },
);
