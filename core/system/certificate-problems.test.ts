// Tests the messages about a certificate that a client does not accept.
import { expect, it } from "vitest";
import { certificateProblem } from "./certificate-problems.ts";

it.each([
  ["CERT_HAS_EXPIRED", /has expired/u, /Renew the certificate.*clock/u],
  ["CERT_NOT_YET_VALID", /is not valid yet/u, /clock/u],
  ["ERR_TLS_CERT_ALTNAME_INVALID", /another host/u, /host/u],
  ["DEPTH_ZERO_SELF_SIGNED_CERT", /self-signed/u, /NODE_EXTRA_CA_CERTS/u],
])("%s has a problem and a remedy", (code, problem, remedy) => {
  const found = certificateProblem(code);
  expect(found?.problem).toMatch(problem);
  expect(found?.remedy).toMatch(remedy);
});

it.each(["ECONNREFUSED", "constructor", ""])("%j is about something else", (code) => {
  expect(certificateProblem(code)).toBeUndefined();
});
