// The grant types that RFCs name by URNs.

/** The grant type of RFC 8628. */
export const deviceGrant = "urn:ietf:params:oauth:grant-type:device_code";

/** The grant type of RFC 8693. */
export const exchangeGrant = "urn:ietf:params:oauth:grant-type:token-exchange";
