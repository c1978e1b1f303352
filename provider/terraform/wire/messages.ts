// The messages of Terraform's plugin protocol 6 that the provider uses, with their field numbers.
import {
  decodeMessage,
  encodeMessage,
  type Field,
  type Fields,
  type Messages,
} from "./protobuf.ts";

const diagnostics = (number: number): Fields => ({
  diagnostics: [number, "Diagnostic", "repeated"],
});

const sharedMessages: Readonly<Record<string, Fields>> = {
  Empty: {},
  DynamicValue: { msgpack: [1, "bytes"], json: [2, "bytes"] },
  Step: {
    attributeName: [1, "string", "present"],
    elementKeyString: [2, "string", "present"],
    elementKeyInt: [3, "int64", "present"],
  },
  AttributePath: { steps: [1, "Step", "repeated"] },
  Diagnostic: {
    severity: [1, "int32"],
    summary: [2, "string"],
    detail: [3, "string"],
    attribute: [4, "AttributePath"],
  },
  RawState: { json: [1, "bytes"] },
  Nested: { attributes: [1, "Attribute", "repeated"], nesting: [3, "int32"] },
  Attribute: {
    name: [1, "string"],
    type: [2, "bytes"],
    nestedType: [10, "Nested"],
    description: [3, "string"],
    required: [4, "bool"],
    optional: [5, "bool"],
    computed: [6, "bool"],
    sensitive: [7, "bool"],
    descriptionKind: [8, "int32"],
    deprecated: [9, "bool"],
    writeOnly: [11, "bool"],
  },
  Block: {
    version: [1, "int64"],
    attributes: [2, "Attribute", "repeated"],
    description: [4, "string"],
    descriptionKind: [5, "int32"],
    deprecated: [6, "bool"],
  },
  Schema: { version: [1, "int64"], block: [2, "Block"] },
  Parameter: {
    name: [1, "string"],
    type: [2, "bytes"],
    allowNullValue: [3, "bool"],
    description: [5, "string"],
    descriptionKind: [6, "int32"],
  },
  Return: { type: [1, "bytes"] },
  Function: {
    parameters: [1, "Parameter", "repeated"],
    return: [3, "Return"],
    summary: [4, "string"],
    description: [5, "string"],
    descriptionKind: [6, "int32"],
  },
  FunctionError: { text: [1, "string"], functionArgument: [2, "int64", "present"] },
  ServerCapabilities: {
    planDestroy: [1, "bool"],
    getProviderSchemaOptional: [2, "bool"],
    moveResourceState: [3, "bool"],
  },
  ClientCapabilities: { deferralAllowed: [1, "bool"], writeOnlyAttributesAllowed: [2, "bool"] },
  Identity: { identityData: [1, "DynamicValue"] },
  IdentityAttribute: {
    name: [1, "string"],
    type: [2, "bytes"],
    requiredForImport: [3, "bool"],
    optionalForImport: [4, "bool"],
    description: [5, "string"],
  },
  IdentitySchema: {
    version: [1, "int64"],
    identityAttributes: [2, "IdentityAttribute", "repeated"],
  },
  TypeName: { typeName: [1, "string"] },
  FunctionName: { name: [1, "string"] },
  Timestamp: { seconds: [1, "int64"], nanos: [2, "int32"] },
  Imported: {
    typeName: [1, "string"],
    state: [2, "DynamicValue"],
    private: [3, "bytes"],
    identity: [4, "Identity"],
  },
  HealthRequest: { service: [1, "string"] },
  HealthResponse: { status: [1, "int32"] },
};

interface Method {
  readonly request: Fields;
  readonly response: Fields;
}

const schemas = (number: number): Field => [number, "Schema", "map"];

/** The provider's methods with the fields of request and response. */
const methods = {
  GetMetadata: {
    request: {},
    response: {
      serverCapabilities: [1, "ServerCapabilities"],
      ...diagnostics(2),
      dataSources: [3, "TypeName", "repeated"],
      resources: [4, "TypeName", "repeated"],
      functions: [5, "FunctionName", "repeated"],
      ephemeralResources: [6, "TypeName", "repeated"],
      listResources: [7, "TypeName", "repeated"],
    },
  },
  GetProviderSchema: {
    request: {},
    response: {
      provider: [1, "Schema"],
      resourceSchemas: schemas(2),
      dataSourceSchemas: schemas(3),
      ...diagnostics(4),
      serverCapabilities: [6, "ServerCapabilities"],
      functions: [7, "Function", "map"],
      ephemeralResourceSchemas: schemas(8),
      listResourceSchemas: schemas(9),
    },
  },
  GetResourceIdentitySchemas: {
    request: {},
    response: { identitySchemas: [1, "IdentitySchema", "map"], ...diagnostics(2) },
  },
  UpgradeResourceIdentity: {
    request: { typeName: [1, "string"], version: [2, "int64"], rawIdentity: [3, "RawState"] },
    response: { upgradedIdentity: [1, "Identity"], ...diagnostics(2) },
  },
  ValidateProviderConfig: { request: { config: [1, "DynamicValue"] }, response: diagnostics(2) },
  ValidateResourceConfig: {
    request: {
      typeName: [1, "string"],
      config: [2, "DynamicValue"],
      clientCapabilities: [3, "ClientCapabilities"],
    },
    response: diagnostics(1),
  },
  ValidateDataResourceConfig: {
    request: { typeName: [1, "string"], config: [2, "DynamicValue"] },
    response: diagnostics(1),
  },
  UpgradeResourceState: {
    request: { typeName: [1, "string"], version: [2, "int64"], rawState: [3, "RawState"] },
    response: { upgradedState: [1, "DynamicValue"], ...diagnostics(2) },
  },
  ConfigureProvider: {
    request: {
      terraformVersion: [1, "string"],
      config: [2, "DynamicValue"],
      clientCapabilities: [3, "ClientCapabilities"],
    },
    response: diagnostics(1),
  },
  ReadResource: {
    request: {
      typeName: [1, "string"],
      currentState: [2, "DynamicValue"],
      private: [3, "bytes"],
      currentIdentity: [6, "Identity"],
    },
    response: {
      newState: [1, "DynamicValue"],
      ...diagnostics(2),
      private: [3, "bytes"],
      newIdentity: [5, "Identity"],
    },
  },
  PlanResourceChange: {
    request: {
      typeName: [1, "string"],
      priorState: [2, "DynamicValue"],
      proposedNewState: [3, "DynamicValue"],
      config: [4, "DynamicValue"],
      priorPrivate: [5, "bytes"],
      priorIdentity: [8, "Identity"],
    },
    response: {
      plannedState: [1, "DynamicValue"],
      requiresReplace: [2, "AttributePath", "repeated"],
      plannedPrivate: [3, "bytes"],
      ...diagnostics(4),
      plannedIdentity: [7, "Identity"],
    },
  },
  ApplyResourceChange: {
    request: {
      typeName: [1, "string"],
      priorState: [2, "DynamicValue"],
      plannedState: [3, "DynamicValue"],
      config: [4, "DynamicValue"],
      plannedPrivate: [5, "bytes"],
      plannedIdentity: [7, "Identity"],
    },
    response: {
      newState: [1, "DynamicValue"],
      private: [2, "bytes"],
      ...diagnostics(3),
      newIdentity: [5, "Identity"],
    },
  },
  ImportResourceState: {
    request: { typeName: [1, "string"], id: [2, "string"], identity: [4, "Identity"] },
    response: { importedResources: [1, "Imported", "repeated"], ...diagnostics(2) },
  },
  MoveResourceState: {
    request: {
      sourceProviderAddress: [1, "string"],
      sourceTypeName: [2, "string"],
      sourceSchemaVersion: [3, "int64"],
      sourceState: [4, "RawState"],
      targetTypeName: [5, "string"],
      sourcePrivate: [6, "bytes"],
    },
    response: {
      targetState: [1, "DynamicValue"],
      ...diagnostics(2),
      targetPrivate: [3, "bytes"],
      targetIdentity: [4, "Identity"],
    },
  },
  ReadDataSource: {
    request: { typeName: [1, "string"], config: [2, "DynamicValue"] },
    response: { state: [1, "DynamicValue"], ...diagnostics(2) },
  },
  ValidateListResourceConfig: {
    request: { typeName: [1, "string"], config: [2, "DynamicValue"] },
    response: diagnostics(1),
  },
  ValidateEphemeralResourceConfig: {
    request: { typeName: [1, "string"], config: [2, "DynamicValue"] },
    response: diagnostics(1),
  },
  OpenEphemeralResource: {
    request: { typeName: [1, "string"], config: [2, "DynamicValue"] },
    response: {
      ...diagnostics(1),
      renewAt: [2, "Timestamp"],
      result: [3, "DynamicValue"],
      private: [4, "bytes"],
    },
  },
  RenewEphemeralResource: {
    request: { typeName: [1, "string"], private: [2, "bytes"] },
    response: { ...diagnostics(1), renewAt: [2, "Timestamp"], private: [3, "bytes"] },
  },
  CloseEphemeralResource: {
    request: { typeName: [1, "string"], private: [2, "bytes"] },
    response: diagnostics(1),
  },
  GetFunctions: {
    request: {},
    response: { functions: [1, "Function", "map"], ...diagnostics(2) },
  },
  CallFunction: {
    request: { name: [1, "string"], arguments: [2, "DynamicValue", "repeated"] },
    response: { result: [1, "DynamicValue"], error: [2, "FunctionError"] },
  },
  StopProvider: { request: {}, response: { error: [1, "string"] } },
} satisfies Readonly<Record<string, Method>>;

/** The methods that answer with a stream, each response being one event. */
const streamMethods = {
  ListResource: {
    request: {
      typeName: [1, "string"],
      config: [2, "DynamicValue"],
      includeResourceObject: [3, "bool"],
      limit: [4, "int64"],
    },
    response: {
      identity: [1, "Identity"],
      displayName: [2, "string"],
      resourceObject: [3, "DynamicValue"],
      diagnostic: [4, "Diagnostic", "repeated"],
    },
  },
} satisfies Readonly<Record<string, Method>>;

/** The name of a method with one response. */
export type MethodName = keyof typeof methods;

/** The name of a method with a stream of responses. */
export type StreamName = keyof typeof streamMethods;

/** The names of all methods with one response. */
export const methodNames = Object.keys(methods) as readonly MethodName[];

/** The names of all methods with a stream of responses. */
export const streamNames = Object.keys(streamMethods) as readonly StreamName[];

/** Encodes and decodes one message. Absent fields stay absent. */
export interface Codec {
  encode(message: object): Buffer;
  decode(bytes: Uint8Array): object;
}

/** Returns the codecs of a method's request and response. */
export function methodCodecs(method: MethodName | StreamName): { request: Codec; response: Codec } {
  return { request: codec(`${method}Request`), response: codec(`${method}Response`) };
}

const messages: Messages = {
  ...sharedMessages,
  ...Object.fromEntries(
    Object.entries<Method>({ ...methods, ...streamMethods }).flatMap(
      ([name, { request, response }]) => [
        [`${name}Request`, request],
        [`${name}Response`, response],
      ],
    ),
  ),
};

/** Returns the codec of a message. */
export function codec(name: string): Codec {
  return {
    encode: (message) => encodeMessage(messages, name, message),
    decode: (bytes) => decodeMessage(messages, name, bytes),
  };
}
