// Sends mail through the SMTP server of the operator.
import { createTransport } from "nodemailer";
import type { Secret } from "../../core/secret.ts";
import { pictureId } from "./mail-content.ts";

/** The SMTP server of the operator. */
export interface SmtpOptions {
  /** `smtp://user@host:587`, which changes to TLS beyond loopback, or `smtps://`. */
  readonly url: string;
  readonly password: Secret | undefined;
  /** The sender: `Reports <reports@example.com>`. */
  readonly from: string;
}

/** A mail to one address. */
export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** The address where the recipient unsubscribes. */
  readonly unsubscribeLink?: string;
  /** The same for all attempts of a delivery, so that servers recognize a repeated one. */
  readonly id: string;
  readonly file: { readonly name: string; readonly type: string; readonly content: Buffer };
}

/** The answer of an SMTP server that refused a mail. */
export interface MailProblem {
  readonly reason: string;
  /** Whether another attempt would get the same answer. */
  readonly isFinal: boolean;
}

/** Sends mails. */
export interface Mailer {
  /** Sends a mail. Returns undefined once the server has accepted it. */
  send(mail: Mail): Promise<MailProblem | undefined>;
  close(): void;
}

const loopback = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/i;

/** Creates a mailer. It connects when it sends a mail. */
export function createMailer({ url, password, from }: SmtpOptions): Mailer {
  const { protocol, hostname, port, username } = new URL(url);
  const isSecure = protocol === "smtps:";
  const transport = createTransport({
    pool: true,
    maxConnections: 2,
    host: hostname.replaceAll(/[[\]]/g, ""),
    port: Number(port) || (isSecure ? 465 : 587),
    secure: isSecure,
    // The password and the data of a mail never cross a network unencrypted.
    requireTLS: !isSecure && !loopback.test(hostname),
    ...(username !== "" && {
      auth: { user: decodeURIComponent(username), pass: password?.reveal() ?? "" },
    }),
    connectionTimeout: 10_000,
    greetingTimeout: 10_000,
    socketTimeout: 30_000,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const domain = /@([^@>\s]+)>?\s*$/.exec(from)?.[1] ?? "localhost";
  return {
    async send({ to, subject, text, html, id, file, unsubscribeLink: link }) {
      try {
        await transport.sendMail({
          from,
          // An address from the store must not be parsed as a list of addresses.
          to: { name: "", address: to },
          subject,
          text,
          html,
          messageId: `<${id}@${domain}>`,
          headers: {
            "Auto-Submitted": "auto-generated",
            // One click (RFC 8058): mail programs send this field to the link.
            ...(link !== undefined && { "List-Unsubscribe-Post": "List-Unsubscribe=One-Click" }),
          },
          ...(link !== undefined && { list: { unsubscribe: link } }),
          attachments: [
            {
              filename: file.name,
              contentType: file.type,
              content: file.content,
              ...(file.type.startsWith("image/") && { cid: pictureId }),
            },
          ],
        });
        return undefined;
      } catch (error) {
        return problemOf(error, password);
      }
    },
    close: () => transport.close(),
  };
}

/**
 * An answer of 500 and above about the address or the content is final; one about the sign-in is not, because the
 * operator can fix it.
 */
function problemOf(error: unknown, password: Secret | undefined): MailProblem {
  const { code, responseCode, message } = error as {
    readonly code?: string;
    readonly responseCode?: number;
    readonly message?: string;
  };
  const isRefusal = code === "EENVELOPE" || code === "EMESSAGE";
  const secret = password?.reveal() ?? "";
  const text = (message ?? "the mail was not sent").replace(/\s+/gu, " ").slice(0, 300);
  return {
    reason: secret === "" ? text : text.replaceAll(secret, "•••"),
    isFinal: isRefusal && (responseCode ?? 0) >= 500,
  };
}
