// Runs an SMTP server for a test that keeps received mails, and refuses or delays them on request.
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { SMTPServer } from "smtp-server";

/** A mail that the server accepted. */
export interface ReceivedMail {
  readonly to: string;
  /** Headers and body in their original form. */
  readonly raw: string;
}

/** The handling of a mail to an address: an SMTP status refuses it, and a promise holds it. */
export type MailRule = (to: string) => number | Promise<void> | undefined;

/** A server on loopback. */
export interface TestSmtpServer {
  readonly url: string;
  readonly mails: readonly ReceivedMail[];
  rule: MailRule;
  close(): Promise<void>;
}

/** Starts a server without TLS and sign-in. */
export async function startSmtpServer(): Promise<TestSmtpServer> {
  const mails: ReceivedMail[] = [];
  const found: { rule: MailRule } = { rule: () => undefined };
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    onRcptTo: ({ address }, _, done) => {
      const ruled = found.rule(address);
      if (typeof ruled !== "number") return done();
      done(Object.assign(new Error("no such mailbox"), { responseCode: ruled }));
    },
    onData: (stream, session, done) => {
      const to = session.envelope.rcptTo.map(({ address }) => address).join();
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        const take = (): void => {
          mails.push({ to, raw: Buffer.concat(chunks).toString("latin1") });
          done();
        };
        const ruled = found.rule(to);
        if (ruled instanceof Promise) void ruled.then(take);
        else take();
      });
    },
  });
  // A client that is killed leaves connections that end with an error.
  server.on("error", () => undefined);
  server.listen(0, "127.0.0.1");
  await once(server.server, "listening");
  const { port } = server.server.address() as AddressInfo;
  return {
    url: `smtp://127.0.0.1:${port}`,
    mails,
    get rule() {
      return found.rule;
    },
    set rule(rule) {
      found.rule = rule;
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** Returns the content of the parts of a mail with a media type. */
export function partsOf(raw: string, type: string): readonly Buffer[] {
  const parts = raw.split(/\r\n--[^\r\n]+(?:--)?\r\n/u);
  return parts.flatMap((part) => {
    const end = part.indexOf("\r\n\r\n");
    const head = part.slice(0, end).toLowerCase();
    if (!head.includes(`content-type: ${type}`)) return [];
    const body = part.slice(end + 4);
    if (head.includes("encoding: base64")) return [Buffer.from(body, "base64")];
    return [Buffer.from(head.includes("quoted-printable") ? unquoted(body) : body, "latin1")];
  });
}

function unquoted(text: string): string {
  return text
    .replace(/=\r\n/gu, "")
    .replace(/=([0-9A-F]{2})/gu, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}
