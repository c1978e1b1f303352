// Loads the generated schemas, without loading the kinds, and converts them to the protocol's form.
import generated from "../../schemas/terraform.json" with { type: "json" };
import { limits } from "../../core/limits/limits.ts";
import { typeOfForm } from "./attribute-values.ts";
import {
  type Attribute,
  type Block,
  type Form,
  listName,
  type Schemas,
  stateVersion,
} from "./schema.ts";

/** The schemas by type name. */
export const schemas: Schemas = generated as object as Schemas;

/** Returns the schemas of all list resources by the type name of the resource: the arguments name a collection. */
export function listSchemas(): Readonly<Record<string, Block>> {
  const collections = new Map(
    Object.values(schemas.dataSources)
      .filter(({ attributes }) => attributes.some(({ name }) => name === listName))
      .map((block) => [block.kind, block]),
  );
  return Object.fromEntries(
    Object.entries(schemas.resources).flatMap(([typeName, { kind, description }]) => {
      const block = collections.get(kind);
      if (block === undefined) return [];
      const attributes = block.attributes.filter(({ name }) => name !== listName);
      return [[typeName, { kind, description, attributes }]];
    }),
  );
}

const text = { is: "string" } as const;
const number = { is: "number" } as const;

function setting(name: string, field: string, rest: Partial<Attribute>): Attribute {
  return {
    name,
    field,
    part: "spec",
    form: text,
    mode: "optional",
    sensitive: false,
    writeOnly: false,
    requiredOnCreate: false,
    hidden: false,
    description: "",
    ...rest,
  };
}

/** The attributes of the provider block. */
export const providerAttributes: readonly Attribute[] = [
  setting("url", "url", {
    description:
      "Origin of the server, such as `https://acme.example.com`. Default: `SVC_API_URL`.",
  }),
  setting("api_key", "apiKey", {
    sensitive: true,
    description: "API key. Default: `SVC_API_KEY`.",
  }),
  setting("auth_scheme", "authScheme", {
    description:
      "`bearer` or `api-key`. Default: `SVC_AUTH_SCHEME`, or else the scheme that fits the key.",
  }),
  setting("requests_per_second", "requestsPerSecond", {
    form: number,
    description: "Maximum requests a second. Default: as many as the server allows.",
  }),
  setting("retries", "retries", {
    form: number,
    description: `Maximum retries of a request, 0 to ${limits.restartAttempts - 1}. Default: ${limits.restartAttempts - 1}.`,
  }),
  setting("ca", "ca", {
    description:
      "Certificate authorities to trust: PEM text, or the path of a PEM file. Default: `SVC_CA_FILE`.",
  }),
  setting("allow_cascade", "allowCascade", {
    form: { is: "bool" },
    description:
      "Whether deleting an object may delete what is inside it, such as the groups of a tenant that another client created. Default: `false`: such a delete is refused.",
  }),
];

/** The provider block. */
export const providerBlock: Block = {
  kind: "",
  description: "Manages a hosted analytics platform.",
  attributes: providerAttributes,
};

const nestings = { single: 1, list: 2, set: 3, map: 4 } as const;
const markdown = 1;

/** Converts a block to the protocol's form. */
export function wireSchema({ attributes, description }: Block): object {
  const block = {
    version: stateVersion,
    attributes: attributes.map(wireAttribute),
    description,
    descriptionKind: markdown,
  };
  return { version: stateVersion, block };
}

function wireAttribute(attribute: Attribute): object {
  const { name, form, mode, description, deprecated, sensitive, writeOnly } = attribute;
  return {
    name,
    ...wireForm(form),
    description:
      deprecated === undefined ? description : `${description} Deprecated: ${deprecated}`,
    descriptionKind: markdown,
    required: mode === "required",
    optional: mode === "optional" || mode === "optionalComputed",
    computed: mode === "computed" || mode === "optionalComputed",
    deprecated: deprecated !== undefined,
    sensitive,
    writeOnly,
  };
}

function wireForm(form: Form): object {
  if (form.is !== "nested") return { type: Buffer.from(JSON.stringify(typeOfForm(form))) };
  const attributes = form.attributes.map(wireAttribute);
  return { nestedType: { attributes, nesting: nestings[form.nesting] } };
}
