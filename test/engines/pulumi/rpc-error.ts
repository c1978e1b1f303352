// What a call of the provider that failed said, with what the engine reads from its details, as gRPC for Go hands them to it.
import { type ServiceError, status } from "@grpc/grpc-js";
import errors from "@pulumi/pulumi/proto/errors_pb.js";
import provider from "@pulumi/pulumi/proto/provider_pb.js";
import statuses from "@pulumi/pulumi/proto/status_pb.js";
import { decode, type PropertyMap } from "../../../provider/pulumi/property-values.ts";

/** A property that was refused. */
export interface PropertyError {
  readonly property: string;
  readonly reason: string;
}

/** What a call that failed said, with what the engine reads from its details. */
export class RpcError extends Error {
  readonly code: string;
  /** Of a resource that exists all the same. */
  readonly partial: PartialResource | undefined;
  readonly missingKeys: readonly PropertyError[];
  /** Inputs of a component. */
  readonly inputErrors: readonly PropertyError[];

  constructor({ code, details, metadata }: ServiceError) {
    const told = statusOf(metadata.get("grpc-status-details-bin")[0]);
    // Go takes a failure that says two codes for garbage, and hands on neither its message nor its details.
    const said = new Set<number>([code, told?.getCode() ?? code]);
    const isGarbled = said.size > 1;
    super(isGarbled ? `several codes in one failure: ${[...said].join(", ")}` : details);
    this.code = status[isGarbled ? status.INTERNAL : code] ?? String(code);
    const found = detailsOf(isGarbled ? undefined : told);
    this.partial = found.partial;
    this.missingKeys = found.missingKeys;
    this.inputErrors = found.inputErrors;
  }
}

/** A resource that was made, but not as wished. */
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

function detailsOf(told: ReturnType<typeof statusOf>): ErrorDetails {
  const details = told?.getDetailsList() ?? [];
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
