// Converts failures to gRPC statuses. The engine treats some codes as an unknown outcome of the operation; the table avoids those for definite failures.
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

/** UNKNOWN, INTERNAL and DATA_LOSS mean an unknown outcome. UNIMPLEMENTED would make the engine skip the request. */
const statusCodes: Readonly<Record<ErrorCode, status>> = {
  invalid: status.INVALID_ARGUMENT,
  unauthenticated: status.UNAUTHENTICATED,
  forbidden: status.PERMISSION_DENIED,
  out_of_scope: status.PERMISSION_DENIED,
  not_found: status.NOT_FOUND,
  unknown_route: status.FAILED_PRECONDITION,
  method_not_allowed: status.FAILED_PRECONDITION,
  conflict: status.ALREADY_EXISTS,
  merge_conflict: status.ABORTED,
  upsert_branch_changed: status.ABORTED,
  precondition_failed: status.ABORTED,
  too_large: status.INVALID_ARGUMENT,
  unsupported_media_type: status.FAILED_PRECONDITION,
  limit_reached: status.RESOURCE_EXHAUSTED,
  rate_limited: status.RESOURCE_EXHAUSTED,
  internal: status.ABORTED,
  unavailable: status.ABORTED,
  not_offered: status.FAILED_PRECONDITION,
  missing_reference: status.FAILED_PRECONDITION,
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
  failed: status.FAILED_PRECONDITION,
  unknown_host: status.FAILED_PRECONDITION,
  usage: status.INVALID_ARGUMENT,
  refused: status.FAILED_PRECONDITION,
  window_closed: status.FAILED_PRECONDITION,
};

/** The configuration is invalid or incomplete. */
export class InvalidConfigurationError extends Error {
  readonly configurationErrors: readonly ConfigurationError[];

  constructor(configurationErrors: readonly ConfigurationError[]) {
    super(
      configurationErrors.map((one) => `svc:${one.field}: ${missingKeyReason(one)}`).join("\n"),
    );
    this.configurationErrors = configurationErrors;
  }
}

/** Returns the status of a failed call. An unexpected error is a bug in the provider and gets INTERNAL. */
export function serviceError(error: unknown): Partial<ServiceError> {
  if (error instanceof PartialFailure) return partialFailureStatus(error);
  if (error instanceof InvalidConfigurationError) return invalidConfigurationStatus(error);
  if (error instanceof InvalidInputsError) return invalidInputsStatus(error);
  if (error instanceof Failure) return { code: statusCodes[error.code], details: messageOf(error) };
  const details = error instanceof Error ? error.message : String(error);
  return { code: status.INTERNAL, details };
}

/** Returns the message of a failure with its remedy; for validation errors, one line for each property path. */
export function messageOf(failure: Failure): string {
  const { validationErrors } = failure;
  if (validationErrors.length === 0) return formatFailure(failure);
  return validationErrors
    .map(({ path, message }) => {
      const at = propertyPathOfPointer(splitPointer(path), (before) => before.length > 0);
      return at === "" ? message : `${at}: ${message}`;
    })
    .join("\n");
}

/** Sends no inputs: the engine keeps the inputs of the program. */
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

/** Sends the detail only if every error is a missing key: the engine then prints its own text and drops the message. */
function invalidConfigurationStatus({
  configurationErrors,
  message,
}: InvalidConfigurationError): Partial<ServiceError> {
  const code = status.INVALID_ARGUMENT;
  if (!configurationErrors.every(({ isMissing }) => isMissing)) return { code, details: message };
  const detail = new provider.ConfigureErrorMissingKeys().setMissingkeysList(
    configurationErrors.map((one) =>
      new provider.ConfigureErrorMissingKeys.MissingKey()
        .setName(`svc:${one.field}`)
        .setDescription(missingKeyReason(one)),
    ),
  );
  const bytes = detail.serializeBinary();
  return withStatusDetail(message, { code, type: "pulumirpc.ConfigureErrorMissingKeys", bytes });
}

/** Returns the reason; for a secret setting it advises `--secret`, because the engine's own text suggests plain text. */
function missingKeyReason({ field, summary, remedy, isMissing }: ConfigurationError): string {
  const reason = `${summary}. ${remedy}`;
  if (isMissing !== true || !isSecretSetting(field)) return reason;
  return `${reason} Set it with \`pulumi config set --secret svc:${field}\`.`;
}

function invalidInputsStatus({
  propertyErrors,
  message,
}: InvalidInputsError): Partial<ServiceError> {
  const detail = new errors.InputPropertiesError().setErrorsList(
    propertyErrors.map(({ path, reason }) =>
      new errors.InputPropertiesError.PropertyError().setPropertyPath(path).setReason(reason),
    ),
  );
  return withStatusDetail(message, {
    code: status.INVALID_ARGUMENT,
    type: "pulumirpc.InputPropertiesError",
    bytes: detail.serializeBinary(),
  });
}

/** One status detail and the status code. */
interface StatusDetail {
  readonly code: status;
  /** Full name of the protobuf message. */
  readonly type: string;
  readonly bytes: Uint8Array;
}

/** Sets the code in the call's status and in the details: Go drops details with a different code. */
function withStatusDetail(
  message: string,
  { code, type, bytes }: StatusDetail,
): Partial<ServiceError> {
  const packed = new any.Any();
  packed.pack(bytes, type);
  const details = new statuses.Status().setCode(code).setMessage(message);
  details.addDetails(packed);
  const metadata = new Metadata();
  metadata.add("grpc-status-details-bin", Buffer.from(details.serializeBinary()));
  return { code, details: message, metadata };
}
