// Failures as the engine takes them: definite codes, for some codes mean to it that nobody knows what became of a resource.
import { Metadata, type ServiceError, status } from "@grpc/grpc-js";
import errors from "@pulumi/pulumi/proto/errors_pb.js";
import provider from "@pulumi/pulumi/proto/provider_pb.js";
import statuses from "@pulumi/pulumi/proto/status_pb.js";
import any from "google-protobuf/google/protobuf/any_pb.js";
import { type ErrorCode, Failure } from "../../core/errors.ts";
import { splitPointer } from "../../core/pointer.ts";
import type { Misconfigured } from "../bridge/connect.ts";
import { inFull } from "../bridge/failures.ts";
import { isSecretSetting } from "./configuration.ts";
import { WrongInputs } from "./construct.ts";
import { Incomplete } from "./objects.ts";
import { pathOfPointer } from "./paths.ts";
import { encode } from "./values.ts";

/** UNKNOWN, INTERNAL and DATA_LOSS are kept for what is truly uncertain; UNIMPLEMENTED would make the engine do without. */
const codes: Readonly<Record<ErrorCode, status>> = {
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
  closed: status.FAILED_PRECONDITION,
};

/** A configuration that cannot be used. */
export class Unconfigured extends Error {
  readonly wrong: readonly Misconfigured[];

  constructor(wrong: readonly Misconfigured[]) {
    super(wrong.map((one) => `svc:${one.field}: ${reasonOf(one)}`).join("\n"));
    this.wrong = wrong;
  }
}

/** The answer to a call that failed. What is no expected failure is a bug of ours, and told as one. */
export function serviceError(error: unknown): Partial<ServiceError> {
  if (error instanceof Incomplete) return incomplete(error);
  if (error instanceof Unconfigured) return unconfigured(error);
  if (error instanceof WrongInputs) return wrongInputs(error);
  if (error instanceof Failure) return { code: codes[error.code], details: messageOf(error) };
  const said = error instanceof Error ? error.message : String(error);
  return { code: status.INTERNAL, details: said };
}

/** What went wrong and what can be done about it; a refusal of single properties a line each, by their paths. */
export function messageOf(failure: Failure): string {
  const { complaints } = failure;
  if (complaints.length === 0) return inFull(failure);
  return complaints
    .map(({ path, message }) => {
      const at = pathOfPointer(splitPointer(path), (before) => before.length > 0);
      return at === "" ? message : `${at}: ${message}`;
    })
    .join("\n");
}

/** The engine keeps the inputs of the program, and would not look at any given here. */
function incomplete({ applied, failure }: Incomplete): Partial<ServiceError> {
  const detail = new provider.ErrorResourceInitFailed()
    .setId(applied.id)
    .setProperties(encode(applied.state))
    .setReasonsList([messageOf(failure)]);
  return detailed(failure.message, {
    code: status.UNKNOWN,
    type: "pulumirpc.ErrorResourceInitFailed",
    bytes: detail.serializeBinary(),
  });
}

/** The engine tells missing keys in words of its own, and then nothing else: what is wrong goes without the detail. */
function unconfigured({ wrong, message }: Unconfigured): Partial<ServiceError> {
  const code = status.INVALID_ARGUMENT;
  if (!wrong.every(({ isMissing }) => isMissing)) return { code, details: message };
  const detail = new provider.ConfigureErrorMissingKeys().setMissingkeysList(
    wrong.map((one) =>
      new provider.ConfigureErrorMissingKeys.MissingKey()
        .setName(`svc:${one.field}`)
        .setDescription(reasonOf(one)),
    ),
  );
  const bytes = detail.serializeBinary();
  return detailed(message, { code, type: "pulumirpc.ConfigureErrorMissingKeys", bytes });
}

/** With how to keep what is secret so, for the engine's own words suggest to set it in clear. */
function reasonOf({ field, summary, remedy, isMissing }: Misconfigured): string {
  const said = `${summary}; ${remedy}`;
  if (isMissing !== true || !isSecretSetting(field)) return said;
  return `${said}, or run \`pulumi config set --secret svc:${field}\``;
}

function wrongInputs({ complaints, message }: WrongInputs): Partial<ServiceError> {
  const detail = new errors.InputPropertiesError().setErrorsList(
    complaints.map(({ path, reason }) =>
      new errors.InputPropertiesError.PropertyError().setPropertyPath(path).setReason(reason),
    ),
  );
  return detailed(message, {
    code: status.INVALID_ARGUMENT,
    type: "pulumirpc.InputPropertiesError",
    bytes: detail.serializeBinary(),
  });
}

/** One detail of a failure, and the failure's code. */
interface Detail {
  readonly code: status;
  /** The full name of the message. */
  readonly type: string;
  readonly bytes: Uint8Array;
}

/** Says the code twice, in the call's status and beside the detail: Go drops details whose code is another. */
function detailed(message: string, { code, type, bytes }: Detail): Partial<ServiceError> {
  const packed = new any.Any();
  packed.pack(bytes, type);
  const told = new statuses.Status().setCode(code).setMessage(message);
  told.addDetails(packed);
  const metadata = new Metadata();
  metadata.add("grpc-status-details-bin", Buffer.from(told.serializeBinary()));
  return { code, details: message, metadata };
}
