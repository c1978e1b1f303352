// Sends the notifications of one mail target through the operator's SMTP server.
import { limits } from "../core/limits/limits.ts";
import type { Secret } from "../core/secret.ts";
import type { MailServer } from "./config.ts";
import type { DeliveryFailure } from "./notification-outbox.ts";

/** A mail of a notification. */
export interface MailText {
  readonly subject: string;
  readonly text: string;
}

/** Where a mail goes. */
export interface MailRoute extends MailServer {
  readonly credential: Secret | undefined;
  /** The same for all attempts, so that servers recognize a repeated mail. */
  readonly id: string;
  readonly signal: AbortSignal;
}

/** Sends a mail; returns why the server did not accept it. Needs TLS unless the configuration says otherwise. */
export async function sendMail(
  { subject, text }: MailText,
  { url, from, to, requireTls, credential, id, signal }: MailRoute,
): Promise<DeliveryFailure | undefined> {
  // Loaded on first use: few controllers send mail.
  const { createTransport } = await import("nodemailer");
  const { protocol, hostname, port, username } = new URL(url);
  const isSecure = protocol === "smtps:";
  const { notificationMs: timeout } = limits;
  const transport = createTransport({
    host: hostname.replaceAll(/[[\]]/gu, ""),
    port: Number(port) || (isSecure ? 465 : 587),
    secure: isSecure,
    requireTLS: !isSecure && requireTls,
    ...(username !== "" && {
      auth: { user: decodeURIComponent(username), pass: credential?.reveal() ?? "" },
    }),
    socketCloseTimeout: 0,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const end = AbortSignal.any([signal, AbortSignal.timeout(timeout)]);
  const domain = /@([^@>\s]+)>?\s*$/u.exec(from)?.[1] ?? "localhost";
  try {
    await transport.sendMail({
      from,
      to: { name: "", address: to },
      subject,
      text,
      messageId: `<${id}@${domain}>`,
      headers: { "Auto-Submitted": "auto-generated" },
      signal: end,
    });
    return undefined;
  } catch (error) {
    return end.aborted ? { error: "there was no answer in time" } : failureOf(error);
  }
}

/** An answer of 500 and above about the address or the content is final; the operator can fix one about the sign-in. */
function failureOf(error: unknown): DeliveryFailure {
  const {
    code,
    responseCode = 0,
    message = "the mail was not sent",
  } = error as {
    readonly code?: string;
    readonly responseCode?: number;
    readonly message?: string;
  };
  const isRefusal = code === "EENVELOPE" || code === "EMESSAGE";
  // The server may repeat the command, which has the password.
  if (code === "EAUTH") return { error: `the server refused the sign-in (${responseCode})` };
  return {
    error: message.replace(/\s+/gu, " ").slice(0, limits.messageCharacters),
    isFinal: isRefusal && responseCode >= 500,
  };
}
