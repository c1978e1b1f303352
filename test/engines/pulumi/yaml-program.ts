// Programs in YAML, read as Pulumi reads them, for the stand-in engine.
import type * as pulumi from "@pulumi/pulumi";
import { parse } from "yaml";
import * as svc from "../../../provider/pulumi/sdk/index.ts";

interface Declared {
  readonly type: string;
  readonly properties: Readonly<Record<string, unknown>>;
  readonly options?: { readonly dependsOn?: readonly string[] };
}

/** A program in YAML: resources in their order, `${name.property}` being an output of one before. */
export function yamlProgram(text: string): pulumi.automation.PulumiFn {
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
      const [, name = "", path = ""] =
        /^\$\{([\w-]+)((?:\.\w+|\["[^"]+"\])*)\}$/.exec(String(value)) ?? [];
      if (name === "") return value;
      const resource = made.get(name);
      if (resource === undefined) throw new Error(`there is no ${name}`);
      const steps = [...path.matchAll(/\.(\w+)|\["([^"]+)"\]/g)];
      return steps.reduce<unknown>(
        (one, [, plain, quoted]) => (one as Record<string, unknown>)[plain ?? quoted ?? ""],
        resource,
      );
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
