// Failures as the engine takes them: definite codes, for some codes mean to it that nobody knows what became of a resource.
import { Metadata, type ServiceError, status } from "@grpc/grpc-js";
import errors from "@pulumi/pulumi/proto/errors_pb.js";
import provider from "@pulumi/pulumi/proto/provider_pb.js";
import statuses from "@pulumi/pulumi/proto/status_pb.js";
import any from "google-protobuf/google/protobuf/any_pb.js";
import { type ErrorCode, Failure } from "../../core/errors.ts";
import { splitPointer } from "../../core/pointer.ts";
import type { ConfigurationError } from "../bridge/connect.ts";
import { formatFailure } from "../bridge/format-failure.ts";
import { isSecretSetting } from "./configuration-schema.ts";
import { InvalidInputsError } from "./construct.ts";
import { PartialFailure } from "./resources.ts";
import { propertyPathOfPointer } from "./property-paths.ts";
import { encode } from "./property-values.ts";

/** UNKNOWN, INTERNAL and DATA_LOSS are kept for what is truly uncertain; UNIMPLEMENTED would make the engine do without. */
const statusCodes: Readonly<Record<ErrorCode, status>> = {
  invalid: status.INVALID_ARGUMENT,
  unauthenticated: status.UNAUTHENTICATED,
  forbidden: status.PERMISSION_DENIED,
  not_found: status.NOT_FOUND,
  unknown_route: status.FAILED_PRECONDITION,
  method_not_allowed: status.FAILED_PRECONDITION,
  conflict: status.ALREADY_EXISTS,
  too_large: status.INVALID_ARGUMENT,
  unsupported_media_type: status.FAILED_PRECONDITION,
  limit_reached: status.RESOURCE_EXHAUSTED,
  rate_limited: status.RESOURCE_EXHAUSTED,
  internal: status.ABORTED,
  unavailable: status.ABORTED,
  not_offered: status.FAILED_PRECONDITION,
  unreachable: status.ABORTED,
  timeout: status.DEADLINE_EXCEEDED,
  unexpected_answer: status.FAILED_PRECONDITION,
  unknown_outcome: status.UNKNOWN,
  stale: status.ABORTED,
  locked: status.ABORTED,
  corrupt: status.FAILED_PRECONDITION,
  aborted: status.CANCELLED,
  head_too_large: status.INVALID_ARGUMENT,
  uri_too_long: status.INVALID_ARGUMENT,
  in_progress: status.ABORTED,
  key_reused: status.FAILED_PRECONDITION,
  unknown_host: status.FAILED_PRECONDITION,
  usage: status.INVALID_ARGUMENT,
  refused: status.FAILED_PRECONDITION,
  window_closed: status.FAILED_PRECONDITION,
};

/** A configuration that cannot be used. */
export class InvalidConfigurationError extends Error {
  readonly configurationErrors: readonly ConfigurationError[];

  constructor(wrong: readonly ConfigurationError[]) {
    super(wrong.map((one) => `svc:${one.field}: ${missingKeyReason(one)}`).join("\n"));
    this.configurationErrors = wrong;
  }
}

/** The answer to a call that failed. What is no expected failure is a bug of ours, and told as one. */
export function serviceError(error: unknown): Partial<ServiceError> {
  if (error instanceof PartialFailure) return partialFailureStatus(error);
  if (error instanceof InvalidConfigurationError) return invalidConfigurationStatus(error);
  if (error instanceof InvalidInputsError) return invalidInputsStatus(error);
  if (error instanceof Failure) return { code: statusCodes[error.code], details: messageOf(error) };
  const said = error instanceof Error ? error.message : String(error);
  return { code: status.INTERNAL, details: said };
}

/** What went wrong and what can be done about it; a refusal of single properties a line each, by their paths. */
export function messageOf(failure: Failure): string {
  const { validationErrors: complaints } = failure;
  if (complaints.length === 0) return formatFailure(failure);
  return complaints
    .map(({ path, message }) => {
      const at = propertyPathOfPointer(splitPointer(path), (before) => before.length > 0);
      return at === "" ? message : `${at}: ${message}`;
    })
    .join("\n");
}

/** The engine keeps the inputs of the program, and would not look at any given here. */
function partialFailureStatus({ applied, failure }: PartialFailure): Partial<ServiceError> {
  const detail = new provider.ErrorResourceInitFailed()
    .setId(applied.id)
    .setProperties(encode(applied.state))
    .setReasonsList([messageOf(failure)]);
  return withStatusDetail(failure.message, {
    code: status.UNKNOWN,
    type: "pulumirpc.ErrorResourceInitFailed",
    bytes: detail.serializeBinary(),
  });
}

/** The engine tells missing keys in words of its own, and then nothing else: what is wrong goes without the detail. */
function invalidConfigurationStatus({
  configurationErrors: wrong,
  message,
}: InvalidConfigurationError): Partial<ServiceError> {
  const code = status.INVALID_ARGUMENT;
  if (!wrong.every(({ isMissing }) => isMissing)) return { code, details: message };
  const detail = new provider.ConfigureErrorMissingKeys().setMissingkeysList(
    wrong.map((one) =>
      new provider.ConfigureErrorMissingKeys.MissingKey()
        .setName(`svc:${one.field}`)
        .setDescription(missingKeyReason(one)),
    ),
  );
  const bytes = detail.serializeBinary();
  return withStatusDetail(message, { code, type: "pulumirpc.ConfigureErrorMissingKeys", bytes });
}

/** With how to keep what is secret so, for the engine's own words suggest to set it in clear. */
function missingKeyReason({ field, summary, remedy, isMissing }: ConfigurationError): string {
  const said = `${summary}; ${remedy}`;
  if (isMissing !== true || !isSecretSetting(field)) return said;
  return `${said}, or run \`pulumi config set --secret svc:${field}\``;
}

function invalidInputsStatus({
  propertyErrors: complaints,
  message,
}: InvalidInputsError): Partial<ServiceError> {
  const detail = new errors.InputPropertiesError().setErrorsList(
    complaints.map(({ path, reason }) =>
      new errors.InputPropertiesError.PropertyError().setPropertyPath(path).setReason(reason),
    ),
  );
  return withStatusDetail(message, {
    code: status.INVALID_ARGUMENT,
    type: "pulumirpc.InputPropertiesError",
    bytes: detail.serializeBinary(),
  });
}

/** One detail of a failure, and the failure's code. */
interface StatusDetail {
  readonly code: status;
  /** The full name of the message. */
  readonly type: string;
  readonly bytes: Uint8Array;
}

/** Says the code twice, in the call's status and beside the detail: Go drops details whose code is another. */
function withStatusDetail(
  message: string,
  { code, type, bytes }: StatusDetail,
): Partial<ServiceError> {
  const packed = new any.Any();
  packed.pack(bytes, type);
  const told = new statuses.Status().setCode(code).setMessage(message);
  told.addDetails(packed);
  const metadata = new Metadata();
  metadata.add("grpc-status-details-bin", Buffer.from(told.serializeBinary()));
  return { code, details: message, metadata };
}
