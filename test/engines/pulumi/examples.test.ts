// The examples reach the same live state in TypeScript and in YAML, which is read here as Pulumi reads it.
import { readFileSync } from "node:fs";
import type * as pulumi from "@pulumi/pulumi";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parse } from "yaml";
import * as svc from "../../../provider/pulumi/sdk/index.ts";
import { Sealed } from "../../../provider/pulumi/values.ts";
import { liveState } from "../../support/live.ts";
import { startService, type TestService } from "../../support/service.ts";
import { TestEngine } from "./engine.ts";

let service: TestService;
let engine: TestEngine;

beforeEach(async () => {
  service = await startService();
  engine = new TestEngine({ config: { url: service.url, apiKey: new Sealed(service.adminKey) } });
});
afterEach(() => service.close());

interface Declared {
  readonly type: string;
  readonly properties: Readonly<Record<string, unknown>>;
  readonly options?: { readonly dependsOn?: readonly string[] };
}

/** A program in YAML: resources in their order, `${name.property}` being an output of one before. */
function yamlProgram(text: string): pulumi.automation.PulumiFn {
  const { resources, outputs } = parse(text) as {
    resources: Record<string, Declared>;
    outputs: Record<string, string>;
  };
  return async () => {
    const made = new Map<string, pulumi.Resource>();
    const valueOf = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(valueOf);
      if (typeof value === "object" && value !== null) {
        return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, valueOf(one)]));
      }
      const [, name = "", property] = /^\$\{([\w-]+)(?:\.(\w+))?\}$/.exec(String(value)) ?? [];
      if (name === "") return value;
      const resource = made.get(name);
      if (resource === undefined) throw new Error(`there is no ${name}`);
      return property === undefined
        ? resource
        : (resource as object as Record<string, unknown>)[property];
    };
    const classes: Readonly<Record<string, unknown>> = { ...svc };
    for (const [name, { type, properties, options }] of Object.entries(resources)) {
      const Resource = classes[type.replace("svc:", "")] as new (
        name: string,
        args: unknown,
        opts: pulumi.CustomResourceOptions,
      ) => pulumi.CustomResource;
      const dependsOn = (options?.dependsOn ?? []).map((one) => valueOf(one) as pulumi.Resource);
      made.set(name, new Resource(name, valueOf(properties), { dependsOn }));
    }
    return valueOf(outputs) as Record<string, unknown>;
  };
}

describe("examples/pulumi", () => {
  it("say the same in TypeScript and in YAML", async () => {
    const module = "../../../examples/pulumi/typescript/index.ts";
    const first = await engine.up(async () => ({ ...((await import(module)) as object) }));
    expect(first.errors).toEqual([]);
    expect(first.outputs["address"]).toMatch(/^https?:/);
    const after = await liveState(service);
    expect(Object.keys(after)).toContain("EmbedUser/northwind/tom-1002");
    const file = new URL("../../../examples/pulumi/yaml/Pulumi.yaml", import.meta.url);
    const program = yamlProgram(readFileSync(file, "utf8"));
    // Over what the TypeScript made, the YAML has nothing to do.
    const second = await engine.up(program);
    expect({ errors: second.errors, steps: second.steps }).toEqual({ errors: [], steps: [] });
    await engine.destroy();
    const again = new TestEngine({
      config: { url: service.url, apiKey: new Sealed(service.adminKey) },
    });
    expect((await again.up(program)).errors).toEqual([]);
    expect(Object.keys(await liveState(service))).toEqual(Object.keys(after));
  });
});
