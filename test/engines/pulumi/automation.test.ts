// Tests the Automation API example without Pulumi's engine: exit codes, declared resources, usage errors.
import { execFile } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { exitCodeOf } from "../../../examples/pulumi/automation/exit-code.ts";
import { customers, declare } from "../../../examples/pulumi/automation/program.ts";
import { SecretValue } from "../../../provider/pulumi/property-values.ts";
import { startService } from "../../support/test-service.ts";
import { StandInEngine } from "./stand-in-engine.ts";

describe("the exit code", () => {
  it.each([
    [{}, 0],
    [{ same: 12 }, 0],
    [{ same: 3, read: 1, refresh: 4 }, 0],
    [{ same: 3, update: 0 }, 0],
    [{ same: 3, create: 1 }, 2],
    [{ update: 1 }, 2],
    [{ same: 9, delete: 1 }, 2],
    [{ same: 9, "create-replacement": 1, "delete-replaced": 1, replace: 1 }, 2],
    [{ same: 9, import: 1 }, 2],
  ] as const)("of %j is %i", (summary, code) => {
    expect(exitCodeOf(summary)).toBe(code);
  });
});

describe("the program", () => {
  it("declares its resources, and a second run changes nothing", async () => {
    const service = await startService();
    try {
      const engine = new StandInEngine({
        url: service.url,
        apiKey: new SecretValue(service.adminKey),
      });
      const program = async () => declare(customers);
      const up = await engine.up(program);
      expect(up.errors).toEqual([]);
      expect(up.outputs["tenants"]).toEqual(customers.map(({ name }) => name));
      expect(up.steps).toHaveLength(6);
      expect((await engine.up(program)).steps).toEqual([]);
      const fewer = await engine.up(async () => declare(customers.slice(0, 1)));
      expect(fewer.steps.map(({ op, name }) => `${op} ${name}`)).toEqual([
        "delete bluewater-lines-dispatch",
        "delete bluewater-lines-tenant",
      ]);
    } finally {
      await service.close();
    }
  });

  it.each([
    [["nonsense"], {}, 64, "usage: node index.ts preview|up|drift|destroy"],
    [["up"], {}, 64, "Set PULUMI_CONFIG_PASSPHRASE"],
    [["up"], { PULUMI_CONFIG_PASSPHRASE: "x" }, 1, "pulumi cannot be run: put it on PATH"],
  ] as const)("given %j and %j ends with %i", async (args, env, code, message) => {
    const file = join(import.meta.dirname, "../../../examples/pulumi/automation/index.ts");
    const found = await new Promise<{ code: unknown; text: string }>((resolve) => {
      const options = { env: { PATH: "/nowhere", ...env } };
      execFile(process.execPath, [file, ...args], options, (error, _, text) => {
        resolve({ code: error?.code ?? 0, text });
      });
    });
    expect(found).toEqual({ code, text: expect.stringContaining(message) as string });
  });
});
