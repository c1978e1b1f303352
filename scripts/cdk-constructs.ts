// Typed constructs of every resource and data source, for cdktf and for its successor cdktn, whose interfaces are the same.
import {
  type Attribute,
  type Block,
  type Form,
  type Schemas,
  stateVersion,
} from "../provider/terraform/schema.ts";
import { providerBlock } from "../provider/terraform/wire-schema.ts";

/** The libraries that constructs are written for. */
export const cdkLibraries = ["cdktf", "cdktn"] as const;

/** The constructs for one library, as one module. */
export function constructsFor(
  library: (typeof cdkLibraries)[number],
  { resources, dataSources }: Schemas,
  version: string,
): string {
  const classes = [
    providerText(version),
    ...Object.entries(resources).map(([type, block]) => classText(type, block, "Resource")),
    ...Object.entries(dataSources).map(([type, block]) => classText(type, block, "DataSource")),
  ];
  return `${headText(library, version)}\n${classes.join("\n")}`;
}

function headText(library: string, version: string): string {
  return `// Generated from the kinds by \`npm run generate\`: change those, not this. State version ${stateVersion}.
import * as cdk from "${library}";
import type { Construct } from "constructs";
import { type ArgumentNames, argumentConverter } from "../../cdk/argument-converter.ts";

const metadata = { providerName: "svc", providerVersion: "${version}" };
const spelled = argumentConverter(cdk);
`;
}

function providerText(version: string): string {
  const { attributes, description } = providerBlock;
  return `${interfaceText("SvcProviderConfig", attributes, { doc: "What the provider is configured with." })}
const providerNames: ArgumentNames = ${argumentNamesText(attributes)};

/** ${description} */
export class SvcProvider extends cdk.TerraformProvider {
  static readonly tfResourceType = "svc";
  readonly #config: SvcProviderConfig;

  constructor(scope: Construct, id: string, config: SvcProviderConfig = {}) {
    super(scope, id, {
      terraformResourceType: "svc",
      terraformGeneratorMetadata: { ...metadata, providerVersionConstraint: "${version}" },
      terraformProviderSource: "svc/svc",
    });
    this.#config = config;
    if (config.alias !== undefined) this.alias = config.alias;
  }

  protected override synthesizeAttributes(): Record<string, unknown> {
    return { alias: this.alias, ...spelled(providerNames, this.#config) };
  }
}
`.replace(
    "{\n  /** Origin",
    "{\n  /** Names it where there are several. */\n  readonly alias?: string;\n  /** Origin",
  );
}

function classText(type: string, block: Block, sort: "Resource" | "DataSource"): string {
  const pascal = pascalCase(type.replace(/^svc_/, ""));
  const name = sort === "Resource" ? pascal : `Data${pascal}`;
  const names = `${name.charAt(0).toLowerCase()}${name.slice(1)}Names`;
  const given = block.attributes.filter(({ mode }) => mode !== "computed");
  const config = `${name}Config`;
  const fallback = given.some(
    ({ mode, requiredOnCreate: neededToCreate }) => mode === "required" || neededToCreate,
  )
    ? ""
    : " = {}";
  const importing =
    sort === "DataSource"
      ? ""
      : `
  /** Imports what exists, by its natural key, and writes its configuration with \`plan -generate-config-out\`. */
  static generateConfigForImport(
    scope: Construct,
    importToId: string,
    importFromId: string,
  ): cdk.ImportableResource {
    const terraformResourceType = "${type}";
    return new cdk.ImportableResource(scope, importToId, { terraformResourceType, importId: importFromId });
  }
`;
  return `${interfaceText(config, given, { doc: `What ${name} is made with.`, base: "cdk.TerraformMetaArguments" })}
const ${names}: ArgumentNames = ${argumentNamesText(given)};

/** ${escaped(block.description)} */
export class ${name} extends cdk.Terraform${sort} {
  static readonly tfResourceType = "${type}";
  readonly #config: ${config};
${importing}
  constructor(scope: Construct, id: string, config: ${config}${fallback}) {
    super(scope, id, {
      ...config,
      terraformResourceType: "${type}",
      terraformGeneratorMetadata: metadata,
    });
    this.#config = config;
  }
${block.attributes
  .filter(({ writeOnly }) => !writeOnly)
  .map(getterText)
  .join("")}
  protected override synthesizeAttributes(): Record<string, unknown> {
    return spelled(${names}, this.#config);
  }
}
`;
}

function memberOf({ part, field }: Attribute): string {
  return part === "version" ? `${field}Version` : field;
}

function interfaceText(
  name: string,
  attributes: readonly Attribute[],
  { doc, base }: { readonly doc: string; readonly base?: string },
): string {
  const extending = base === undefined ? "" : ` extends ${base}`;
  const members = attributes.map((one) => memberText(one, "  "));
  return `/** ${doc} */\nexport interface ${name}${extending} {\n${members.join("\n")}\n}\n`;
}

function memberText(attribute: Attribute, indent: string): string {
  const { description, mode, requiredOnCreate: neededToCreate, deprecated } = attribute;
  const isRequired = mode === "required" || neededToCreate;
  const old = deprecated === undefined ? "" : ` @deprecated ${deprecated}`;
  const doc = `${indent}/** ${escaped(withoutJson(description))}${escaped(old)} */`;
  return `${doc}\n${indent}readonly ${memberOf(attribute)}${isRequired ? "" : "?"}: ${typeText(attribute.form, indent)};`;
}

/** Here the constructs write the JSON. */
function withoutJson(description: string): string {
  return description.replace(/ ?(?:Each value is )?JSON text: use `jsonencode`\./, "");
}

function typeText(form: Form, indent: string): string {
  switch (form.is) {
    case "json":
      return "unknown";
    case "bool":
      return "boolean | cdk.IResolvable";
    case "list":
    case "set":
      return `readonly ${bracketed(typeText(form.of, indent))}[]`;
    case "map":
      return `Readonly<Record<string, ${typeText(form.of, indent)}>>`;
    case "nested": {
      const members = form.attributes.map((one) => memberText(one, `${indent}  `)).join("\n");
      const object = `{\n${members}\n${indent}}`;
      if (form.nesting === "single") return object;
      return form.nesting === "map"
        ? `Readonly<Record<string, ${object}>>`
        : `readonly ${object}[]`;
    }
    default:
      return form.is;
  }
}

function bracketed(type: string): string {
  return type.includes("|") ? `(${type})` : type;
}

function argumentNamesText(attributes: readonly Attribute[]): string {
  const entries = attributes.map((one) => {
    const shape = argumentFormatText(one.form);
    const more = shape === undefined ? "" : `, ${shape}`;
    return `${memberOf(one)}: [${JSON.stringify(one.name)}${more}]`;
  });
  return `{ ${entries.join(", ")} }`;
}

function argumentFormatText(form: Form): string | undefined {
  if (form.is === "json") return '"json"';
  if ("of" in form) {
    const inner = argumentFormatText(form.of);
    return inner === undefined ? undefined : `{ each: ${inner} }`;
  }
  if (form.is !== "nested") return undefined;
  const members = `{ members: ${argumentNamesText(form.attributes)} }`;
  return form.nesting === "single" ? members : `{ each: ${members} }`;
}

const getters: Readonly<Record<string, readonly [type: string, method: string]>> = {
  string: ["string", "getStringAttribute"],
  json: ["string", "getStringAttribute"],
  number: ["number", "getNumberAttribute"],
  bool: ["cdk.IResolvable", "getBooleanAttribute"],
};

function getterText(attribute: Attribute): string {
  const { form, name, description } = attribute;
  const listed = "of" in form && form.is !== "map" && form.of.is === "string";
  const list = ["string[]", "getListAttribute"] as const;
  const other = ["cdk.IResolvable", "interpolationForAttribute"] as const;
  const [type, method] = listed ? list : (getters[form.is] ?? other);
  return `
  /** ${escaped(description)} */
  get ${memberOf(attribute)}(): ${type} {
    return this.${method}("${name}");
  }
`;
}

function escaped(text: string): string {
  return text.replaceAll("*/", "*\\/");
}

function pascalCase(snake: string): string {
  return snake.replace(/(?:^|_)([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
