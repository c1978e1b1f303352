// The options of `svc serve` for the SMTP server that sends notifications.
import { readFileSync } from "node:fs";
import { refuseOpenFile } from "../../files/secret-file.ts";
import { Failure } from "../../core/errors.ts";
import { Secret } from "../../core/secret.ts";
import type { ServerOptions } from "../server/server.ts";

/** The options from the command line. */
export interface SmtpFlags {
  smtpUrl?: string;
  smtpFrom?: string;
  smtpPasswordFile?: string;
  publicUrl?: string;
}

/** Returns the address for the links in mails, without a path. Throws `usage`. */
export function publicUrlOf({ publicUrl }: SmtpFlags): Pick<ServerOptions, "publicUrl"> {
  if (publicUrl === undefined) return {};
  const url = URL.parse(publicUrl);
  const isAddress =
    url !== null && /^https?:$/u.test(url.protocol) && url.href === `${url.origin}/`;
  if (!isAddress) {
    throw new Failure("usage", "--public-url must be such as https://svc.example.com");
  }
  return { publicUrl: url.origin };
}

/** Reads the password at the start, so that a missing file is reported immediately. Throws `usage`. */
export function smtpOf({
  smtpUrl,
  smtpFrom,
  smtpPasswordFile,
}: SmtpFlags): Pick<ServerOptions, "smtp"> {
  if (smtpUrl === undefined && smtpFrom === undefined && smtpPasswordFile === undefined) return {};
  if (smtpUrl === undefined || smtpFrom === undefined) {
    throw new Failure("usage", "mail needs both --smtp-url and --smtp-from");
  }
  const url = URL.parse(smtpUrl);
  if (url === null || !/^smtps?:$/.test(url.protocol) || url.hostname === "") {
    throw new Failure("usage", "--smtp-url must be such as smtp://user@mail.example.com:587");
  }
  if (url.password !== "") {
    throw new Failure("usage", "--smtp-url must not contain a password, which others could see", {
      remedy: "Put it in a file for --smtp-password-file, or in SVC_SMTP_PASSWORD.",
    });
  }
  if (!/^(?:[^<>\r\n]*<[^<>@\s]+@[^<>@\s]+>|[^<>@\s]+@[^<>@\s]+)$/.test(smtpFrom)) {
    throw new Failure("usage", "--smtp-from must be an address: Reports <reports@example.com>");
  }
  const password = passwordOf(smtpPasswordFile);
  if (url.username !== "" && password === undefined) {
    throw new Failure("usage", "the user of --smtp-url needs a password", {
      remedy: "Put it in a file for --smtp-password-file, or in SVC_SMTP_PASSWORD.",
    });
  }
  return { smtp: { url: smtpUrl, from: smtpFrom, password } };
}

function passwordOf(file: string | undefined): Secret | undefined {
  const set = process.env["SVC_SMTP_PASSWORD"];
  if (file === undefined) return set === undefined ? undefined : new Secret(set);
  refuseOpenFile(file);
  try {
    return new Secret(readFileSync(file, "utf8").trim());
  } catch (cause) {
    throw new Failure("usage", `the password in ${file} cannot be read`, { cause });
  }
}
