// The certificate of a listener: read and checked before it is used, and exchanged while the server runs.
import { readFileSync, unwatchFile, watchFile } from "node:fs";
import { Server } from "node:https";
import { createSecureContext } from "node:tls";
import type { Logger } from "pino";
import { Failure } from "../core/errors.ts";
import { limits } from "../core/limits.ts";

/** The oldest version of TLS that is spoken. */
const minVersion = "TLSv1.2";

/** Where a certificate lies: PEM files, the first with the whole chain. */
export interface CertificateFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

/** A certificate that goes with its key. */
export interface Certificate {
  readonly cert: Buffer;
  readonly key: Buffer;
  readonly minVersion: typeof minVersion;
}

/** Reads a certificate and its key. Fails with `usage` where they cannot be read, are none, or do not belong together. */
export function readCertificate({ certFile, keyFile }: CertificateFiles): Certificate {
  const certificate = { cert: read(certFile), key: read(keyFile), minVersion } as const;
  try {
    createSecureContext(certificate);
  } catch (cause) {
    // The cause names no bytes of the key, but its words are those of a library.
    throw new Failure("usage", `${certFile} and ${keyFile} are no certificate with its key`, {
      cause,
      remedy: "Give two PEM files that belong together; the key must not be encrypted.",
    });
  }
  return certificate;
}

function read(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (cause) {
    throw new Failure("usage", `${path} cannot be read`, { cause });
  }
}

/** Keeps a server's certificate up to date. */
export interface CertificateWatch {
  /** Takes what the files hold now; where that cannot be used it is logged, and what was used before stays. */
  reload(): void;
  close(): Promise<void>;
}

/** Looks at the files again and again, and gives `server` what they hold when they change. */
export function watchCertificate(
  server: object,
  files: CertificateFiles,
  log: Logger,
): CertificateWatch {
  const reload = (): void => {
    try {
      const certificate = readCertificate(files);
      if (server instanceof Server) server.setSecureContext(certificate);
      log.info({ certFile: files.certFile }, "the certificate was exchanged");
    } catch (error) {
      log.error({ err: error }, "the new certificate cannot be used; the one before stays");
    }
  };
  const paths = [files.certFile, files.keyFile];
  for (const path of paths) {
    watchFile(path, { interval: limits.certificateLookMs, persistent: false }, reload);
  }
  return {
    reload,
    close: async () => {
      for (const path of paths) unwatchFile(path, reload);
    },
  };
}
