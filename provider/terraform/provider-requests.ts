// What the provider says of itself, how it is configured, and the requests that are about no resource.
import {
  type ProviderConfiguration,
  fingerprintKeyLength,
  fingerprintVariable,
  openBridge,
  resolveSettings,
  type ConfigurationError,
} from "../bridge/connect.ts";
import { isKnown, fullyKnownFields } from "../bridge/unknown-values.ts";
import { type AttributeValues, toInputs } from "./attribute-values.ts";
import { readData } from "./data-source.ts";
import { type Diagnostic, errorAt, warningAt } from "./diagnostics.ts";
import { functions, FunctionArgumentError } from "./functions.ts";
import { wireIdentity } from "./identity.ts";
import type { CallRequest, ConfigureRequest, WithTypeName, WithConfig } from "./request-types.ts";
import { providerAttributes, providerBlock, schemas, wireSchema } from "./wire-schema.ts";
import { blockOf, withDiagnostics, decodeAttributes, type Session } from "./session.ts";
import { fromWire, toWire } from "./wire/cty.ts";

const serverCapabilities = {
  planDestroy: false,
  getProviderSchemaOptional: true,
  moveResourceState: true,
};

/** What there is, by name. */
export async function metadata(): Promise<object> {
  const types = (of: object) => Object.keys(of).map((typeName) => ({ typeName }));
  return {
    serverCapabilities,
    resources: types(schemas.resources),
    dataSources: types(schemas.dataSources),
    ephemeralResources: types(schemas.ephemerals),
    functions: Object.keys(functions).map((name) => ({ name })),
  };
}

/** Everything there is, described. */
export async function allSchemas(): Promise<object> {
  const wired = (of: Readonly<Record<string, typeof providerBlock>>) =>
    Object.fromEntries(Object.entries(of).map(([name, block]) => [name, wireSchema(block)]));
  return {
    provider: wireSchema(providerBlock),
    resourceSchemas: wired(schemas.resources),
    dataSourceSchemas: wired(schemas.dataSources),
    ephemeralResourceSchemas: wired(schemas.ephemerals),
    functions: wireFunctions(),
    serverCapabilities,
  };
}

function wireFunctions(): object {
  const typed = (type: unknown): Buffer => Buffer.from(JSON.stringify(type));
  return Object.fromEntries(
    Object.entries(functions).map(([name, { summary, parameters, returns }]) => [
      name,
      {
        parameters: parameters.map(({ type, ...rest }) => ({ ...rest, type: typed(type) })),
        return: { type: typed(returns) },
        summary,
      },
    ]),
  );
}

/** What tells resources apart, described. */
export async function allIdentitySchemas(): Promise<object> {
  const all = Object.entries(schemas.resources).map(([name, block]) => [name, wireIdentity(block)]);
  return { identitySchemas: Object.fromEntries(all) as object };
}

/** The functions, described. */
export async function allFunctions(): Promise<object> {
  return { functions: wireFunctions() };
}

/** Calls a function. */
export async function callFunction(
  _session: Session,
  { name, arguments: given = [] }: CallRequest,
): Promise<object> {
  const found = functions[name];
  if (found === undefined) return { error: { text: `There is no function ${name}.` } };
  try {
    const values = found.parameters.map(({ type }, at) => fromWire(type, given[at]));
    return { result: toWire(found.returns, found.call(values)) };
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    return {
      error: {
        text,
        functionArgument: error instanceof FunctionArgumentError ? error.argumentIndex : 0,
      },
    };
  }
}

function configurationFrom(values: AttributeValues): ProviderConfiguration {
  return fullyKnownFields(toInputs(providerAttributes, values).inputs);
}

/** Checks the provider's configuration: what is missing may still come from the environment of the run, so only what is given is held against it here. */
export async function validateProvider(_session: Session, { config }: WithConfig): Promise<object> {
  const values = decodeAttributes(blockOf(providerAttributes), config);
  const settings = resolveSettings(configurationFrom(values), process.env);
  if ("url" in settings) return {};
  const given = settings.filter(({ field }) => configurationFrom(values)[field] !== undefined);
  return { diagnostics: given.map(configurationDiagnostic) };
}

/** Connects to the server, and fails first where that cannot be. */
export async function configure(
  session: Session,
  { config, terraformVersion = "" }: ConfigureRequest,
): Promise<object> {
  const told = versionWarnings(terraformVersion);
  return withDiagnostics("The server cannot be used", {}, async () => {
    const values = decodeAttributes(blockOf(providerAttributes), config);
    if (!isKnown(values)) return { diagnostics: [...told, configurationNotKnown] };
    const settings = resolveSettings(configurationFrom(values), process.env);
    if (!("url" in settings)) return { diagnostics: settings.map(configurationDiagnostic) };
    const length = process.env[fingerprintVariable]?.length ?? 0;
    if (length > 0 && length < fingerprintKeyLength)
      return { diagnostics: [fingerprintKeyTooShort] };
    const bridge = await openBridge(settings, {
      userAgent: `terraform-provider-svc/${terraformVersion}`,
      signal: session.stopping.signal,
    });
    session.configured = { bridge, apiKey: settings.credential?.reveal() ?? "" };
    return { diagnostics: told };
  });
}

function configurationDiagnostic({ field, summary, remedy }: ConfigurationError): Diagnostic {
  const attribute = providerAttributes.find((one) => one.field === field)?.name ?? field;
  return errorAt(
    "The provider is not configured",
    `${attribute}: ${summary}; ${remedy}.`,
    attribute,
  );
}

const fingerprintKeyTooShort = errorAt(
  "The provider is not configured",
  `${fingerprintVariable} is too short to compare secrets under; give it ${fingerprintKeyLength} characters or more, or unset it.`,
);

const configurationNotKnown = warningAt(
  "The provider's configuration is not known yet",
  "Nothing is read from the server while planning, so drift is not seen.",
);

/** What an old engine lacks, told once; everything else works there. */
function versionWarnings(version: string): readonly Diagnostic[] {
  const [, major, minor] = /^(\d+)\.(\d+)\./.exec(version) ?? [];
  if (major === undefined || Number(major) > 1 || Number(minor) >= 11) return [];
  const lacks = ["write-only attributes, which secrets are given in (1.11)"];
  // Neither engine says which of the two it is.
  if (Number(minor) < 10) lacks.push("ephemeral resources (Terraform 1.10, OpenTofu 1.11)");
  else lacks.push("ephemeral resources, if it is OpenTofu (1.11)");
  if (Number(minor) < 8) lacks.push("functions of providers (Terraform 1.8, OpenTofu 1.7)");
  const detail = `It lacks ${lacks.join("; ")}. Everything else works.`;
  return [warningAt(`Version ${version} does not have all that this provider offers`, detail)];
}

/** Reads a data source. */
export async function readDataSource(
  session: Session,
  { typeName, config }: WithTypeName & WithConfig,
): Promise<object> {
  return withDiagnostics(`${typeName} cannot be read`, {}, async () => {
    const source = await session.dataSource(typeName);
    const state = await readData(
      source,
      decodeAttributes(source, config),
      session.requireConfigured(),
    );
    return { state: toWire(source.type, state) };
  });
}
