// Creates real certificates for tests: an authority, and certificates that it signs for hosts.
// oxlint-disable-next-line import/no-unassigned-import -- what makes certificates asks for it to be loaded first
import "reflect-metadata";
import { webcrypto } from "node:crypto";
import {
  BasicConstraintsExtension,
  cryptoProvider,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from "@peculiar/x509";

cryptoProvider.set(webcrypto);

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;
const dayMs = 86_400_000;

/** A certificate with its key, as PEM. */
export interface IssuedCertificate {
  readonly cert: string;
  readonly key: string;
}

/** An authority that signs certificates in a test. */
export interface Authority {
  /** Its own certificate, as PEM. */
  readonly cert: string;
  /** Issues a certificate for these names and addresses. */
  issue(hosts: readonly string[]): Promise<IssuedCertificate>;
}

/** Creates an authority. */
export async function makeAuthority(): Promise<Authority> {
  const keys = await makeKeyPair();
  const common = {
    notBefore: new Date(Date.now() - dayMs),
    notAfter: new Date(Date.now() + dayMs),
  };
  const root = await X509CertificateGenerator.createSelfSigned({
    ...common,
    serialNumber: "01",
    name: "CN=Test authority",
    keys,
    signingAlgorithm: algorithm,
    extensions: [new BasicConstraintsExtension(true, 1, true)],
  });
  let serial = 1;
  return {
    cert: root.toString("pem"),
    issue: async (hosts) => {
      const own = await makeKeyPair();
      const names = hosts.map((host) => ({
        type: /^[\d.]+$/.test(host) ? ("ip" as const) : ("dns" as const),
        value: host,
      }));
      const certificate = await X509CertificateGenerator.create({
        ...common,
        serialNumber: (++serial).toString(16).padStart(2, "0"),
        subject: `CN=${hosts[0] ?? "test"}`,
        issuer: root.subject,
        publicKey: own.publicKey,
        signingKey: keys.privateKey,
        signingAlgorithm: algorithm,
        extensions: [new SubjectAlternativeNameExtension(names)],
      });
      return { cert: certificate.toString("pem"), key: await toPem(own.privateKey) };
    },
  };
}

async function makeKeyPair() {
  return webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
}

async function toPem(key: webcrypto.CryptoKey): Promise<string> {
  const bytes = Buffer.from(await webcrypto.subtle.exportKey("pkcs8", key)).toString("base64");
  const lines = bytes.match(/.{1,64}/g) ?? [];
  return ["-----BEGIN PRIVATE KEY-----", ...lines, "-----END PRIVATE KEY-----", ""].join("\n");
}
