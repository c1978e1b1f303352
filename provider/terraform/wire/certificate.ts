// Creates a self-signed P-256 certificate for one run of the plugin. Node cannot create certificates, and a library for it takes
// 190 ms at every start, so this module writes the required DER fields itself.
import { generateKeyPairSync, randomBytes, sign } from "node:crypto";

/** A certificate and its key. */
export interface Certificate {
  readonly der: Buffer;
  readonly pem: string;
  /** PKCS #8, PEM. */
  readonly key: string;
}

const lifeMs = 365 * 24 * 3600 * 1000;
/** The certificate is valid from one minute ago, because timestamps have a resolution of one second. */
const clockSkewMs = 60_000;

const derTag = { boolean: 1, integer: 2, bits: 3, octets: 4, oid: 6, text: 12, time: 24 } as const;
const sequence = 0x30;
const set = 0x31;

/** Creates a self-signed server certificate for `host`. */
export function selfSigned(host: string): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const algorithm = der(sequence, oid("1.2.840.10045.4.3.2"));
  const name = der(
    sequence,
    der(set, der(sequence, oid("2.5.4.3"), der(derTag.text, Buffer.from(host)))),
  );
  const now = Date.now();
  const body = der(
    sequence,
    der(0xa0, der(derTag.integer, Buffer.from([2]))),
    der(derTag.integer, serial()),
    algorithm,
    name,
    der(sequence, time(now - clockSkewMs), time(now + lifeMs)),
    name,
    publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, der(sequence, ...extensions(host))),
  );
  const signature = sign("sha256", body, privateKey);
  const certificate = der(sequence, body, algorithm, der(derTag.bits, Buffer.from([0]), signature));
  const lines = certificate.toString("base64").replace(/.{64}/g, "$&\n");
  return {
    der: certificate,
    pem: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  };
}

function extensions(host: string): Buffer[] {
  const derTrue = der(derTag.boolean, Buffer.from([0xff]));
  const extension = (id: string, critical: boolean, value: Buffer): Buffer =>
    der(sequence, oid(id), ...(critical ? [derTrue] : []), der(derTag.octets, value));
  // digitalSignature, keyEncipherment, keyAgreement and keyCertSign.
  const usage = der(derTag.bits, Buffer.from([2, 0b1010_1100]));
  const purposes = der(sequence, oid("1.3.6.1.5.5.7.3.2"), oid("1.3.6.1.5.5.7.3.1"));
  return [
    extension("2.5.29.15", true, usage),
    extension("2.5.29.37", false, purposes),
    extension("2.5.29.19", true, der(sequence, derTrue)),
    extension("2.5.29.17", false, der(sequence, der(0x82, Buffer.from(host)))),
  ];
}

/** Returns a random serial number: positive, without a leading zero. */
function serial(): Buffer {
  const bytes = randomBytes(16);
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40;
  return bytes;
}

function time(ms: number): Buffer {
  const text = new Date(ms).toISOString().replace(/[-:T]|\.\d+/g, "");
  return der(derTag.time, Buffer.from(text));
}

function der(type: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([type, ...lengthOf(content.length)]), content]);
}

function lengthOf(length: number): number[] {
  if (length < 0x80) return [length];
  return length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
}

function oid(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split(".").map(Number);
  return der(derTag.oid, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

function base128(part: number): number[] {
  const digits = [part & 0x7f];
  for (let rest = part >> 7; rest > 0; rest >>= 7) digits.unshift((rest & 0x7f) | 0x80);
  return digits;
}
