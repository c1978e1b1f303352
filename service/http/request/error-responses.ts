// Converts exceptions to error responses, all with the same body and without internals.
import type { FastifyError, FastifyReply, FastifyRequest } from "fastify";
import type { Logger } from "pino";
import { problem, statusOf } from "../../../api/problems.ts";
import { type ErrorCode, Failure } from "../../../core/errors.ts";
import type { JsonObject } from "../../../core/json.ts";
import { limits } from "../../../core/limits/limits.ts";
import { scimContentType } from "../../areas/scim/scim-call.ts";
import { scimErrorBody } from "../../scim/scim-error.ts";
import { toStoreFailure } from "../../store/transaction.ts";

/** The message for a body of another type. */
export const jsonOnly = "the body must be JSON; send it with `Content-Type: application/json`";

/** Errors of Fastify that need a code other than `invalid`, or another message. */
const fastifyErrors: Readonly<Record<string, readonly [ErrorCode, string]>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ["unsupported_media_type", jsonOnly],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: [
    "invalid",
    "the length of the body differs from Content-Length",
  ],
  FST_ERR_BAD_URL: ["invalid", "the path is not a valid URL; check its percent-encoding"],
  FST_ERR_MAX_PARAM_LENGTH: ["invalid", "a segment of the path is too long"],
};

/** Sends the error response for a failure. Logs any other exception and sends `internal`. */
export function sendErrorResponse(
  error: unknown,
  { request, reply, log }: { request: FastifyRequest; reply: FastifyReply; log: Logger },
): FastifyReply {
  const failure = toFailure(error, request.routeOptions.bodyLimit);
  const send = (sent: Pick<Failure, "code" | "message" | "details">) => {
    const status = statusOf(sent.code);
    reply.code(status);
    return isScim(request)
      ? reply.type(scimContentType).send(scimErrorBody(status, sent))
      : reply.send(problem(sent.code, sent.message, sent.details));
  };
  if (!failure) {
    log.error({ requestId: request.id, err: error }, "a request failed with an internal error");
    const text = `the server failed with an internal error; its log has the details under request id ${request.id}`;
    return send({ code: "internal", message: text, details: undefined });
  }
  if (failure.code === "corrupt") {
    const { message, remedy, cause } = failure;
    log.error({ requestId: request.id, err: cause, remedy }, message);
  }
  if (failure.code === "unavailable" || failure.code === "unknown_outcome") {
    log.warn({ requestId: request.id, err: failure.cause }, failure.message);
  }
  if (failure.code === "unauthenticated") {
    reply.header("www-authenticate", 'Bearer realm="svc", Api-Key realm="svc"');
  }
  if (failure.retryAfter !== undefined) reply.header("retry-after", Math.ceil(failure.retryAfter));
  const [message, details] = [truncateText(failure.message), truncateDetails(failure.details)];
  return send({ code: failure.code, message, details });
}

/** SCIM defines its own error bodies. */
function isScim({ url }: FastifyRequest): boolean {
  return url.startsWith("/api/scim/");
}

function truncateText(text: string): string {
  if (text.length <= limits.problemMessageCharacters) return text;
  return `${text.slice(0, limits.problemMessageCharacters).toWellFormed()}… (${text.length} characters)`;
}

/** Shortens long lists in details. The member `…Total` next to a list is its original length. */
function truncateDetails(details: JsonObject | undefined): JsonObject | undefined {
  if (details === undefined) return undefined;
  const entries = Object.entries(details).flatMap(([name, value]): [string, JsonObject[string]][] =>
    Array.isArray(value) && value.length > limits.problemItems
      ? [
          [name, value.slice(0, limits.problemItems)],
          [`${name}Total`, value.length],
        ]
      : [[name, value]],
  );
  return Object.fromEntries(entries);
}

function toFailure(error: unknown, bodyLimit: number | undefined): Failure | undefined {
  const failure = toStoreFailure(error);
  if (failure instanceof Failure) return failure;
  const { code = "", statusCode = 500 } = error as Partial<FastifyError>;
  if (code === "FST_ERR_CTP_BODY_TOO_LARGE") {
    const text = `the body is larger than ${bodyLimit} bytes; split it over several requests`;
    return new Failure("too_large", text, { cause: error });
  }
  const words = fastifyErrors[code];
  if (words) return new Failure(...words, { cause: error });
  if (!code.startsWith("FST_ERR_") || statusCode >= 500) return undefined;
  return new Failure("invalid", "the request is not valid HTTP", { cause: error });
}
