// Handles the protocol requests for metadata, schemas, provider configuration, functions and data sources.
import {
  type ConnectionSettings,
  type ProviderConfiguration,
  fingerprintKeyLength,
  fingerprintVariable,
  openBridge,
  resolveSettings,
  type ConfigurationError,
} from "../bridge/connect.ts";
import type { RequestEvent } from "../../client/types.ts";
import { isKnown, fullyKnownFields } from "../bridge/unknown-values.ts";
import { type AttributeValues, toInputs } from "./attribute-values.ts";
import { readData, validateArguments } from "./data-source.ts";
import { type Diagnostic, errorAt, warningAt } from "./diagnostics.ts";
import { functions, FunctionArgumentError } from "./functions.ts";
import { wireIdentity } from "./identity.ts";
import type { CallRequest, ConfigureRequest, WithTypeName, WithConfig } from "./request-types.ts";
import {
  listSchemas,
  providerAttributes,
  providerBlock,
  schemas,
  wireSchema,
} from "./wire-schema.ts";
import {
  blockOf,
  identityAttributes,
  withDiagnostics,
  decodeAttributes,
  type Session,
} from "./session.ts";
import { fromWire, toWire } from "./wire/cty.ts";
import { isLogging, log } from "./wire/log.ts";

const serverCapabilities = {
  planDestroy: true,
  getProviderSchemaOptional: true,
  moveResourceState: true,
};

/** Returns the names of resources, data sources, ephemeral resources, list resources and functions. */
export async function metadata(): Promise<object> {
  const types = (of: object) => Object.keys(of).map((typeName) => ({ typeName }));
  return {
    serverCapabilities,
    resources: types(schemas.resources),
    dataSources: types(schemas.dataSources),
    ephemeralResources: types(schemas.ephemerals),
    listResources: types(listSchemas()),
    functions: Object.keys(functions).map((name) => ({ name })),
  };
}

/** Returns every schema. */
export async function allSchemas(): Promise<object> {
  const toWireSchemas = (of: Readonly<Record<string, typeof providerBlock>>) =>
    Object.fromEntries(Object.entries(of).map(([name, block]) => [name, wireSchema(block)]));
  return {
    provider: wireSchema(providerBlock),
    resourceSchemas: toWireSchemas(schemas.resources),
    dataSourceSchemas: toWireSchemas(schemas.dataSources),
    ephemeralResourceSchemas: toWireSchemas(schemas.ephemerals),
    listResourceSchemas: toWireSchemas(listSchemas()),
    functions: wireFunctions(),
    serverCapabilities,
  };
}

function wireFunctions(): object {
  const encodeType = (type: unknown): Buffer => Buffer.from(JSON.stringify(type));
  return Object.fromEntries(
    Object.entries(functions).map(([name, { summary, parameters, returns }]) => [
      name,
      {
        parameters: parameters.map(({ type, ...rest }) => ({ ...rest, type: encodeType(type) })),
        return: { type: encodeType(returns) },
        summary,
      },
    ]),
  );
}

/** Returns the identity schemas of all resources. */
export async function allIdentitySchemas(): Promise<object> {
  const all = Object.entries(schemas.resources)
    .filter(([, block]) => identityAttributes(block).length > 0)
    .map(([name, block]) => [name, wireIdentity(block)]);
  return { identitySchemas: Object.fromEntries(all) as object };
}

/** Returns the definitions of all functions. */
export async function allFunctions(): Promise<object> {
  return { functions: wireFunctions() };
}

/** Calls a function. */
export async function callFunction(
  _session: Session,
  { name, arguments: present = [] }: CallRequest,
): Promise<object> {
  const found = functions[name];
  if (found === undefined) return { error: { text: `Unknown function ${name}.` } };
  try {
    const values = found.parameters.map(({ type }, index) => fromWire(type, present[index]));
    return { result: toWire(found.returns, found.call(values)) };
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    if (!(error instanceof FunctionArgumentError)) return { error: { text } };
    return { error: { text, functionArgument: error.argumentIndex } };
  }
}

function configurationFrom(values: AttributeValues): ProviderConfiguration {
  return fullyKnownFields(toInputs(providerAttributes, values).inputs);
}

/** Validates the provider's configuration. Missing values may come from the environment of the run, so they are not errors here. */
export async function validateProvider(session: Session, { config }: WithConfig): Promise<object> {
  const values = decodeAttributes(blockOf(providerAttributes), config);
  const settings = resolveSettings(configurationFrom(values), session.env);
  if ("url" in settings) return {};
  const present = settings.filter(({ field }) => configurationFrom(values)[field] !== undefined);
  return { diagnostics: present.map(configurationDiagnostic) };
}

/** Configures the provider and connects to the server. */
export async function configure(
  session: Session,
  { config, terraformVersion = "" }: ConfigureRequest,
): Promise<object> {
  const warnings = versionWarnings(terraformVersion);
  return withDiagnostics("Cannot connect to the server", {}, async () => {
    const values = decodeAttributes(blockOf(providerAttributes), config);
    if (!isKnown(values)) return { diagnostics: [...warnings, configurationNotKnown] };
    const settings = resolveSettings(configurationFrom(values), session.env);
    if (!("url" in settings)) return { diagnostics: settings.map(configurationDiagnostic) };
    const length = session.env[fingerprintVariable]?.length ?? 0;
    if (length > 0 && length < fingerprintKeyLength)
      return { diagnostics: [fingerprintKeyTooShort] };
    const bridge = await openBridge(settings, {
      userAgent: `terraform-provider-svc/${terraformVersion}`,
      signal: session.stopping.signal,
      onRequest: isLogging(session.env) ? logRequest : undefined,
    });
    session.configured = { bridge, apiKey: lastingKey(settings) };
    return { diagnostics: warnings };
  });
}

/** Logs one HTTP request, without headers and bodies, which may contain secrets. */
function logRequest(event: RequestEvent): void {
  log("debug", "HTTP request", { ...event });
}

function configurationDiagnostic({ field, summary, remedy }: ConfigurationError): Diagnostic {
  const attribute = providerAttributes.find((one) => one.field === field)?.name ?? field;
  return errorAt(
    "Invalid provider configuration",
    `${attribute}: ${summary}. ${remedy}`,
    attribute,
  );
}

const fingerprintKeyTooShort = errorAt(
  "Invalid provider configuration",
  `${fingerprintVariable} is too short. Set at least ${fingerprintKeyLength} characters, or unset it.`,
);

const configurationNotKnown = warningAt(
  "Provider configuration is not known yet",
  "The plan reads nothing from the server, so it does not detect drift.",
);

/** Returns one warning with the features that an old engine lacks. */
function versionWarnings(version: string): readonly Diagnostic[] {
  const [, major, minor] = /^(\d+)\.(\d+)\./.exec(version) ?? [];
  if (major === undefined || Number(major) > 1 || Number(minor) >= 11) return [];
  const missing = ["write-only attributes, which secrets need (1.11)"];
  // Terraform and OpenTofu do not report which of the two they are.
  if (Number(minor) < 10) missing.push("ephemeral resources (Terraform 1.10, OpenTofu 1.11)");
  else missing.push("ephemeral resources, if this is OpenTofu (1.11)");
  if (Number(minor) < 8) missing.push("provider-defined functions (Terraform 1.8, OpenTofu 1.7)");
  const detail = `Not supported: ${missing.join("; ")}. Everything else works.`;
  return [warningAt(`Version ${version} does not support every feature of this provider`, detail)];
}

/** Validates the configuration of a data source. */
export function validateDataSource(
  session: Session,
  { typeName, config }: WithTypeName & WithConfig,
): Promise<object> {
  return withDiagnostics(`Cannot validate ${typeName}`, {}, async () => {
    const source = await session.dataSource(typeName);
    return { diagnostics: validateArguments(source, decodeAttributes(source, config)) };
  });
}

/** Reads a data source. */
export async function readDataSource(
  session: Session,
  { typeName, config }: WithTypeName & WithConfig,
): Promise<object> {
  return withDiagnostics(`Cannot read ${typeName}`, {}, async () => {
    const source = await session.dataSource(typeName);
    const state = await readData(
      source,
      decodeAttributes(source, config),
      session.requireConfigured(),
    );
    return { state: toWire(source.type, state) };
  });
}

/** Returns the key that fingerprints of secrets can use: none for tokens, which change from run to run. */
function lastingKey({ credential, renewCredential }: ConnectionSettings): string {
  return renewCredential === undefined ? (credential?.reveal() ?? "") : "";
}
