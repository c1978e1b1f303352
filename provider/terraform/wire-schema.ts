// The schemas as they were generated, so that a start pays for no kind before one is asked for; and their shape on the wire.
import generated from "../../schemas/terraform.json" with { type: "json" };
import { limits } from "../../core/limits.ts";
import { typeOfForm } from "./attribute-values.ts";
import { type Attribute, type Block, type Form, type Schemas, stateVersion } from "./schema.ts";

/** Resources and data sources by their type names. */
export const schemas: Schemas = generated as object as Schemas;

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

/** What the provider itself is configured with. */
export const providerAttributes: readonly Attribute[] = [
  setting("url", "url", {
    description: "Origin of the server, such as `https://acme.example.com`. Else `SVC_API_URL`.",
  }),
  setting("api_key", "apiKey", { sensitive: true, description: "API key. Else `SVC_API_KEY`." }),
  setting("auth_scheme", "authScheme", {
    description: "`bearer` or `api-key`. Else `SVC_AUTH_SCHEME`, else by the key.",
  }),
  setting("requests_per_second", "requestsPerSecond", {
    form: number,
    description: "Most requests a second; as many as the server allows where left out.",
  }),
  setting("retries", "retries", {
    form: number,
    description: `Times that a request is sent again, 0 to ${limits.attempts - 1}.`,
  }),
  setting("ca", "ca", {
    description:
      "Certificate authorities to trust, as PEM or as the path of a file. Else `SVC_CA_FILE`.",
  }),
];

/** The provider's own block. */
export const providerBlock: Block = {
  kind: "",
  description: "Manages a hosted analytics platform.",
  attributes: providerAttributes,
};

const nestings = { single: 1, list: 2, set: 3, map: 4 } as const;
const markdown = 1;

/** A block as the protocol describes it. */
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
