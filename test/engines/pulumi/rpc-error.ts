// Decodes failed provider calls with the details that the engine reads, as gRPC for Go passes them on.
import { type ServiceError, status } from "@grpc/grpc-js";
import errors from "@pulumi/pulumi/proto/errors_pb.js";
import provider from "@pulumi/pulumi/proto/provider_pb.js";
import statuses from "@pulumi/pulumi/proto/status_pb.js";
import { decode, type PropertyMap } from "../../../provider/pulumi/property-values.ts";

/** An error in one property. */
export interface PropertyError {
  readonly property: string;
  readonly reason: string;
}

/** A failed call with its details. */
export class RpcError extends Error {
  readonly code: string;
  /** The resource that exists despite the failure. */
  readonly partial: PartialResource | undefined;
  readonly missingKeys: readonly PropertyError[];
  /** Errors in the inputs of a component. */
  readonly inputErrors: readonly PropertyError[];

  constructor({ code, details, metadata }: ServiceError) {
    const decoded = statusOf(metadata.get("grpc-status-details-bin")[0]);
    // Go discards the message and the details of a failure with two different codes.
    const codes = new Set<number>([code, decoded?.getCode() ?? code]);
    const isGarbled = codes.size > 1;
    super(isGarbled ? `several codes in one failure: ${[...codes].join(", ")}` : details);
    this.code = status[isGarbled ? status.INTERNAL : code] ?? String(code);
    const found = detailsOf(isGarbled ? undefined : decoded);
    this.partial = found.partial;
    this.missingKeys = found.missingKeys;
    this.inputErrors = found.inputErrors;
  }
}

/** A resource that was created but not completely written. */
export interface PartialResource {
  readonly id: string;
  readonly state: PropertyMap;
  readonly reasons: readonly string[];
}

type ErrorDetails = Pick<RpcError, "partial" | "missingKeys" | "inputErrors">;

function statusOf(raw: string | Buffer | undefined) {
  if (raw === undefined) return undefined;
  return statuses.Status.deserializeBinary(new Uint8Array(raw as Buffer));
}

function detailsOf(decoded: ReturnType<typeof statusOf>): ErrorDetails {
  const details = decoded?.getDetailsList() ?? [];
  const found: { -readonly [Name in keyof ErrorDetails]: ErrorDetails[Name] } = {
    partial: undefined,
    missingKeys: [],
    inputErrors: [],
  };
  for (const detail of details) {
    const bytes = detail.getValue_asU8();
    if (detail.getTypeName() === "pulumirpc.ErrorResourceInitFailed") {
      const one = provider.ErrorResourceInitFailed.deserializeBinary(bytes);
      found.partial = {
        id: one.getId(),
        state: decode(one.getProperties()),
        reasons: one.getReasonsList(),
      };
    }
    if (detail.getTypeName() === "pulumirpc.ConfigureErrorMissingKeys") {
      const one = provider.ConfigureErrorMissingKeys.deserializeBinary(bytes);
      found.missingKeys = one
        .getMissingkeysList()
        .map((key) => ({ property: key.getName(), reason: key.getDescription() }));
    }
    if (detail.getTypeName() === "pulumirpc.InputPropertiesError") {
      const one = errors.InputPropertiesError.deserializeBinary(bytes);
      found.inputErrors = one
        .getErrorsList()
        .map((each) => ({ property: each.getPropertyPath(), reason: each.getReason() }));
    }
  }
  return found;
}
