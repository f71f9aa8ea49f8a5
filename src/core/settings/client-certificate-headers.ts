/**
 * The headers that describe a client certificate to backends and auth services. A client cannot set
 * them itself.
 */
export const clientCertificateHeaders = [
  { name: "ssl-client-verify", variable: "client_verify" },
  { name: "ssl-client-subject-dn", variable: "client_subject_dn" },
  { name: "ssl-client-issuer-dn", variable: "client_issuer_dn" },
  { name: "ssl-client-cert", variable: "client_certificate" },
] as const;
