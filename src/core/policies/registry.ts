/** All annotation features. Their order is the order of their directives in a location. */
import { accessLists } from "./access-lists.ts";
import { aliases } from "./aliases.ts";
import { answers } from "./answers.ts";
import { appRoot } from "./app-root.ts";
import { backendProtocol } from "./backend-protocol.ts";
import { backendRequest } from "./backend-request.ts";
import { proxySsl } from "./backend-tls/declaration.ts";
import { basicAuth } from "./basic-auth.ts";
import { canary } from "./canary.ts";
import { clientCertificate } from "./client-certificate.ts";
import { cors } from "./cors/declaration.ts";
import { customErrors } from "./custom-errors.ts";
import type { AnyFeature, Field, ValuesOf } from "./declare.ts";
import { externalAuth } from "./external-auth/declaration.ts";
import { fastcgi } from "./fastcgi.ts";
import { customHeaders } from "./header-changes/declaration.ts";
import { http2PushPreload } from "./http2-push-preload.ts";
import { limitRate } from "./limit-rate.ts";
import { loadBalance } from "./load-balance.ts";
import { logs } from "./logs.ts";
import { mirror } from "./mirror/declaration.ts";
import { modsecurity } from "./modsecurity.ts";
import { opentelemetry } from "./opentelemetry.ts";
import { proxyBuffers } from "./proxy-buffers.ts";
import { rateLimits } from "./rate-limits.ts";
import { redirects } from "./redirects/declaration.ts";
import { requestBody } from "./request-body.ts";
import { nextUpstream } from "./retries/declaration.ts";
import { rewrite } from "./rewrite/declaration.ts";
import { satisfy } from "./satisfy.ts";
import { serviceUpstream } from "./service-upstream.ts";
import { sessionAffinity } from "./sessions/declaration.ts";
import { configurationSnippet, serverSnippet, streamSnippet } from "./snippets.ts";
import { sslCiphers, sslPreferServerCiphers } from "./ssl-ciphers.ts";
import { sslPassthrough } from "./ssl-passthrough.ts";
import { sslRedirect } from "./ssl-redirect.ts";
import { proxyTimeouts } from "./timeouts/declaration.ts";
import { upstreamHashBy } from "./upstream-hash-by.ts";

export const features = {
  configurationSnippet,
  serverSnippet,
  streamSnippet,
  sslPassthrough,
  aliases,
  appRoot,
  redirects,
  cors,
  customErrors,
  customHeaders,
  rateLimits,
  logs,
  http2PushPreload,
  rewrite,
  sslRedirect,
  accessLists,
  satisfy,
  basicAuth,
  requestBody,
  backendProtocol,
  backendRequest,
  fastcgi,
  externalAuth,
  mirror,
  modsecurity,
  opentelemetry,
  clientCertificate,
  proxySsl,
  sslCiphers,
  sslPreferServerCiphers,
  proxyTimeouts,
  nextUpstream,
  proxyBuffers,
  answers,
  limitRate,
  canary,
  loadBalance,
  upstreamHashBy,
  serviceUpstream,
  sessionAffinity,
};

/** The values of one Ingress, feature by feature. Equal texts give the same object. */
export type FeatureValues = ValuesOf<typeof features>;

/** The features as a list, for code that treats all of them alike. */
export const featureList = Object.entries(features) as readonly (readonly [keyof FeatureValues, AnyFeature])[];

/** The field that an annotation sets. */
export interface KeyedField {
  readonly name: keyof FeatureValues;
  readonly feature: AnyFeature;
  readonly field: string;
  readonly declared: Field<unknown>;
}

/** The fields of all features, by their keys and older spellings. */
export const fieldsByKey: ReadonlyMap<string, KeyedField> = new Map(
  featureList.flatMap(([name, feature]) =>
    Object.entries<Field<unknown>>(feature.fields).flatMap(([field, declared]) =>
      [declared.key, ...(declared.aliases ?? [])].map((key) => [key, { name, feature, field, declared }] as const),
    ),
  ),
);

/**
 * Whether an annotation counts in a canary. All others come from the Ingress beside which the
 * canary stands.
 */
export const countsInCanary = (key: string): boolean => fieldsByKey.get(key)?.feature.countsInCanaries === true;
