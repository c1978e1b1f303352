// Tests the committed SDK in user programs with Pulumi's mocks: every resource and function.
import { camelCase } from "../../../core/text/naming.ts";
import * as pulumi from "@pulumi/pulumi";
import { beforeAll, describe, expect, it } from "vitest";
import { exampleInputs } from "../../../provider/pulumi/examples.ts";
import { functionTokens, propertiesOf } from "../../../provider/pulumi/properties.ts";
import * as svc from "../../../provider/pulumi/sdk/index.ts";
import { components, kinds } from "../../../resources/index.ts";

const registrations: pulumi.runtime.MockResourceArgs[] = [];
const invocations: pulumi.runtime.MockCallArgs[] = [];

beforeAll(async () => {
  await pulumi.runtime.setMocks({
    newResource: (args) => {
      registrations.push(args);
      return {
        id: `${args.name}-id`,
        state: { ...args.inputs, deploymentUrl: "https://d.example" },
      };
    },
    call: (args) => {
      invocations.push(args);
      return { ...args.inputs, id: "found", items: [] };
    },
  });
});

/** Resolves to the value of an output. */
async function valueOf<T>(output: pulumi.Output<T>): Promise<T> {
  return new Promise((resolve) => output.apply(resolve));
}

describe("resources", () => {
  it("exist for every resource type and take the examples as arguments", async () => {
    const classes: Readonly<Record<string, unknown>> = { ...svc };
    for (const kind of kinds) {
      const Resource = classes[kind.name] as {
        new (name: string, args: unknown): pulumi.CustomResource;
        isInstance(obj: unknown): boolean;
        get(name: string, id: string): pulumi.CustomResource;
      };
      for (const example of kind.examples) {
        const inputs = exampleInputs(kind, kinds, example);
        const resource = new Resource(`${camelCase(kind.name)}-${example.name}`, inputs);
        expect(Resource.isInstance(resource)).toBe(true);
        expect(await valueOf(resource.urn)).toContain(`svc:index:${kind.name}`);
        const sent = registrations.find(
          ({ name }) => name === `${camelCase(kind.name)}-${example.name}`,
        );
        expect(Object.keys(sent?.inputs as object).toSorted()).toEqual(
          Object.keys(inputs).toSorted(),
        );
        for (const { property, required } of propertiesOf(kind).inputs) {
          if (!required) continue;
          const { [property]: _, ...rest } = inputs;
          expect(() => new Resource("incomplete", rest)).toThrow(
            `Missing required property '${property}'`,
          );
        }
      }
      expect(Resource.isInstance({})).toBe(false);
      const known = Resource.get(`known-${kind.name}`, "some/id");
      expect(await valueOf(known.id)).toBe("some/id");
    }
  });

  it("exist for every component and are constructed by the provider", async () => {
    const classes: Readonly<Record<string, unknown>> = { ...svc };
    for (const { name, examples } of components) {
      const Component = classes[name] as {
        new (name: string, args: unknown): pulumi.ComponentResource;
        isInstance(obj: unknown): boolean;
      };
      for (const { name: example, inputs } of examples) {
        const component = new Component(`component-${example}`, inputs);
        expect(Component.isInstance(component)).toBe(true);
        expect(pulumi.ComponentResource.isInstance(component)).toBe(true);
        expect(await valueOf(component.urn)).toContain(`svc:index:${name}`);
        const sent = registrations.find(({ type }) => type === `svc:index:${name}`);
        expect(sent?.inputs).toEqual(inputs);
      }
      expect(Component.isInstance({})).toBe(false);
      expect(() => new Component("incomplete", {})).toThrow("Missing required property");
    }
  });

  it("refer to each other by outputs and keep secrets secret", async () => {
    const deployment = new svc.Deployment("production", {
      name: "production",
      region: "aws-us-east-1",
    });
    const variable = new svc.EnvironmentVariable("token", {
      deployment: deployment.name,
      name: "API_TOKEN",
      value: "hunter2",
    });
    expect(await valueOf(variable.deployment)).toBe("production");
    expect(await pulumi.isSecret(variable.value)).toBe(true);
    expect(await pulumi.isSecret(variable.name)).toBe(false);
    expect(await valueOf(deployment.deploymentUrl)).toBe("https://d.example");
  });

  it("use a provider of the program, whose key is secret and whose numbers are JSON text", async () => {
    const provider = new svc.Provider("eu", { url: "https://eu.example", apiKey: "k", retries: 2 });
    expect(svc.Provider.isInstance(provider)).toBe(true);
    const tenant = new svc.EmbedTenant("acme", { name: "acme-stores" }, { provider });
    await valueOf(tenant.urn);
    const sent = registrations.find(({ type }) => type === "pulumi:providers:svc");
    expect(sent?.inputs).toMatchObject({ url: "https://eu.example", retries: "2" });
    expect(registrations.find(({ name }) => name === "acme")?.provider).toContain("eu");
  });
});

describe("functions", () => {
  it("exist for every resource type, as promises and as outputs", async () => {
    const functions: Readonly<Record<string, unknown>> = { ...svc };
    for (const kind of kinds) {
      for (const token of Object.values(functionTokens(kind)).filter((one) => one !== undefined)) {
        const name = token.slice(token.lastIndexOf(":") + 1);
        const plain = functions[name] as (args: object) => Promise<object>;
        const output = functions[`${name}Output`] as (args: object) => pulumi.Output<object>;
        const args = Object.fromEntries(kind.key.map((field) => [field, `a ${field}`]));
        expect(await plain(args)).toMatchObject({ id: "found" });
        expect(await valueOf(output(args))).toMatchObject({ id: "found" });
        expect(invocations.filter((call) => call.token === token)).toHaveLength(2);
      }
    }
  });
});

describe("configuration", () => {
  it("reads the stack's settings", () => {
    pulumi.runtime.setAllConfig({ "svc:url": "https://acme.example", "svc:retries": "3" });
    expect(svc.config.url).toBe("https://acme.example");
    expect(svc.config.retries).toBe(3);
    expect(svc.config.apiKey).toBeUndefined();
  });
});
