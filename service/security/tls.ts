// TLS certificates of a listener: validated before use, selected by host, and reloaded while the server runs.
import { X509Certificate } from "node:crypto";
import { readFileSync, unwatchFile, watchFile } from "node:fs";
import { Server } from "node:https";
import { createSecureContext, type SecureContext } from "node:tls";
import type { Logger } from "pino";
import { refuseOpenFile } from "../../files/secret-file.ts";
import { Failure, invariant } from "../../core/errors.ts";
import { limits } from "../../core/limits/limits.ts";

/** The minimum TLS version. */
const minVersion = "TLSv1.2";

/** Cipher suites for TLS 1.2: forward secrecy and AEAD only. TLS 1.3 has no others. */
const ciphers = [
  "TLS_AES_256_GCM_SHA384",
  "TLS_CHACHA20_POLY1305_SHA256",
  "TLS_AES_128_GCM_SHA256",
  "ECDHE-ECDSA-AES128-GCM-SHA256",
  "ECDHE-RSA-AES128-GCM-SHA256",
  "ECDHE-ECDSA-AES256-GCM-SHA384",
  "ECDHE-RSA-AES256-GCM-SHA384",
  "ECDHE-ECDSA-CHACHA20-POLY1305",
  "ECDHE-RSA-CHACHA20-POLY1305",
].join(":");

/** The PEM files of a certificate and its key; the certificate file contains the whole chain. */
export interface CertificateFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

/** A certificate and its key. */
export interface Certificate {
  readonly cert: Buffer;
  readonly key: Buffer;
  readonly minVersion: typeof minVersion;
  readonly ciphers: string;
}

/** Reads a certificate and its key. Throws `usage` if they cannot be read, are invalid, or do not match. */
export function readCertificate({ certFile, keyFile }: CertificateFiles): Certificate {
  refuseOpenFile(keyFile);
  const certificate = {
    cert: readPem(certFile),
    key: readPem(keyFile),
    minVersion,
    ciphers,
  } as const;
  try {
    createSecureContext(certificate);
  } catch (cause) {
    // The library's message contains no bytes of the key, but it is not meant for users.
    throw new Failure("usage", `${certFile} and ${keyFile} are not a certificate and its key`, {
      cause,
      remedy: "Pass two matching PEM files. The key must not be encrypted.",
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

/** The certificates of a listener, which can be replaced while it runs. */
export interface Certificates {
  /** The default for clients that send no host name or an unknown one: the first certificate. */
  readonly first: Certificate;
  /** Returns the context of the first certificate for the host; undefined if there is none. */
  contextFor(host: string): SecureContext | undefined;
  /**
   * Replaces a certificate by the current content of its files. Throws as {@link readCertificate} does and then
   * changes nothing.
   */
  reload(index: number): void;
}

interface LoadedCertificate {
  readonly certificate: Certificate;
  readonly context: SecureContext;
  readonly x509: X509Certificate;
}

/** Reads certificates and their keys, at least one. Throws `usage` if one is invalid. */
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

/** Selects a certificate by the host name that a client sends. */
export function sniCallback(
  certificates: Certificates,
): (host: string, choose: (error: null, context?: SecureContext) => void) => void {
  return (host, choose) => choose(null, certificates.contextFor(host));
}

/** Keeps a server's certificates up to date. */
export interface CertificateWatcher {
  /** Reloads the files. An invalid certificate is logged, and the current one stays in use. */
  reload(): void;
  close(): Promise<void>;
}

/** The inputs of a certificate watch. */
export interface CertificateWatchOptions {
  readonly certificates: Certificates;
  readonly files: readonly CertificateFiles[];
  readonly log: Logger;
}

/** Polls the files and gives `server` their content when they change. */
export function watchCertificates(
  server: object,
  { certificates, files, log }: CertificateWatchOptions,
): CertificateWatcher {
  const reload = (index: number): void => {
    try {
      certificates.reload(index);
      if (index === 0 && server instanceof Server) server.setSecureContext(certificates.first);
      log.info({ certFile: files[index]?.certFile }, "the certificate was reloaded");
    } catch (error) {
      log.error({ err: error }, "the new certificate is invalid; the current one stays in use");
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
