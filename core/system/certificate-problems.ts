// Describes in words why a client does not accept the certificate of a server, and the remedy.

interface CertificateProblem {
  readonly problem: string;
  readonly remedy: string;
}

const trustRemedy =
  "If you trust the server, set NODE_EXTRA_CA_CERTS to a PEM file with its certificate or that of its authority.";

const unknownAuthority: CertificateProblem = {
  problem: "its TLS certificate is signed by an unknown authority",
  remedy: trustRemedy,
};

const problems: ReadonlyMap<string, CertificateProblem> = new Map(
  Object.entries({
    CERT_HAS_EXPIRED: {
      problem: "its TLS certificate has expired",
      remedy: "Renew the certificate of the server, or correct the clock of this machine.",
    },
    CERT_NOT_YET_VALID: {
      problem: "its TLS certificate is not valid yet",
      remedy: "Correct the clock of this machine, or wait until the certificate is valid.",
    },
    ERR_TLS_CERT_ALTNAME_INVALID: {
      problem: "its TLS certificate is for another host",
      remedy: "Correct the certificate, or the host in the address.",
    },
    DEPTH_ZERO_SELF_SIGNED_CERT: {
      problem: "its TLS certificate is self-signed",
      remedy: trustRemedy,
    },
    SELF_SIGNED_CERT_IN_CHAIN: unknownAuthority,
    UNABLE_TO_VERIFY_LEAF_SIGNATURE: unknownAuthority,
    UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unknownAuthority,
  }),
);

/**
 * Returns the problem with a certificate and its remedy; undefined if the code of the error is about something else.
 */
export function certificateProblem(code: string): CertificateProblem | undefined {
  return problems.get(code);
}
