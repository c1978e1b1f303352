// Describes in words why a client does not accept the certificate of a server.

const unknownAuthority = "its TLS certificate is signed by an unknown authority";

const problems: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: "its TLS certificate has expired",
  ERR_TLS_CERT_ALTNAME_INVALID: "its TLS certificate is for another host",
  DEPTH_ZERO_SELF_SIGNED_CERT: "its TLS certificate is self-signed",
  SELF_SIGNED_CERT_IN_CHAIN: unknownAuthority,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unknownAuthority,
};

const untrustedCodes: ReadonlySet<string> = new Set([
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
]);

/** Returns what is wrong with a certificate; undefined if the code of the error is about something else. */
export function certificateProblem(code: string): string | undefined {
  return Object.hasOwn(problems, code) ? problems[code] : undefined;
}

/** Returns what to do about a certificate that is not trusted; undefined for other codes. */
export function untrustedCertificateRemedy(code: string): string | undefined {
  if (!untrustedCodes.has(code)) return undefined;
  return "If you trust the server, set NODE_EXTRA_CA_CERTS to a PEM file with its certificate or that of its authority.";
}
