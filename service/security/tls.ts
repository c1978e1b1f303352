// The certificates of a listener: read and checked before they are used, chosen by host, and exchanged while the server runs.
import { X509Certificate } from "node:crypto";
import { readFileSync, unwatchFile, watchFile } from "node:fs";
import { Server } from "node:https";
import { createSecureContext, type SecureContext } from "node:tls";
import type { Logger } from "pino";
import { Failure, invariant } from "../../core/errors.ts";
import { limits } from "../../core/limits.ts";

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
  const certificate = { cert: readPem(certFile), key: readPem(keyFile), minVersion } as const;
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

function readPem(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (cause) {
    throw new Failure("usage", `${path} cannot be read`, { cause });
  }
}

/** The certificates of a listener, which are exchanged while it runs. */
export interface Certificates {
  /** What whoever asks for no host, or for one that is in none of them, is shown: the first. */
  readonly first: Certificate;
  /** The context of the first certificate that is for the host; undefined where none is. */
  contextFor(host: string): SecureContext | undefined;
  /** Takes what the files of one of them hold now. Fails as {@link readCertificate} does, and then nothing changes. */
  reload(index: number): void;
}

interface LoadedCertificate {
  readonly certificate: Certificate;
  readonly context: SecureContext;
  readonly x509: X509Certificate;
}

/** Reads certificates with their keys, at least one. Fails with `usage` where one cannot be used. */
export function readCertificates(files: readonly CertificateFiles[]): Certificates {
  const all = files.map(loadCertificate);
  return {
    get first() {
      const [first] = all;
      invariant(first, "a listener with no certificate");
      return first.certificate;
    },
    contextFor: (host) =>
      all.find(({ x509: names }) => names.checkHost(host) !== undefined)?.context,
    reload: (index) => {
      const one = files[index];
      invariant(one, "there is no such certificate");
      all[index] = loadCertificate(one);
    },
  };
}

function loadCertificate(files: CertificateFiles): LoadedCertificate {
  const certificate = readCertificate(files);
  const context = createSecureContext(certificate);
  return { certificate, context, x509: new X509Certificate(certificate.cert) };
}

/** Chooses a certificate by the host that a client asks for. */
export function sniCallback(
  certificates: Certificates,
): (host: string, choose: (error: null, context?: SecureContext) => void) => void {
  return (host, choose) => choose(null, certificates.contextFor(host));
}

/** Keeps a server's certificates up to date. */
export interface CertificateWatcher {
  /** Takes what the files hold now; where that cannot be used it is logged, and what was used before stays. */
  reload(): void;
  close(): Promise<void>;
}

/** What a watch looks after. */
export interface CertificateWatchOptions {
  readonly certificates: Certificates;
  readonly files: readonly CertificateFiles[];
  readonly log: Logger;
}

/** Looks at the files again and again, and gives `server` what they hold when they change. */
export function watchCertificates(
  server: object,
  { certificates, files, log }: CertificateWatchOptions,
): CertificateWatcher {
  const reload = (index: number): void => {
    try {
      certificates.reload(index);
      if (index === 0 && server instanceof Server) server.setSecureContext(certificates.first);
      log.info({ certFile: files[index]?.certFile }, "the certificate was exchanged");
    } catch (error) {
      log.error({ err: error }, "the new certificate cannot be used; the one before stays");
    }
  };
  const watched = files.flatMap(({ certFile, keyFile }, index) => {
    const changed = (): void => reload(index);
    return [certFile, keyFile].map((path) => ({ path, changed }));
  });
  for (const { path, changed } of watched) {
    watchFile(path, { interval: limits.certificateCheckMs, persistent: false }, changed);
  }
  return {
    reload: () => {
      for (const index of files.keys()) reload(index);
    },
    close: async () => {
      for (const { path, changed } of watched) unwatchFile(path, changed);
    },
  };
}
