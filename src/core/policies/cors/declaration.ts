/**
 * Cross-origin requests (RS-21): answers tell browsers which origins may read them, and nginx
 * answers preflights itself. If the request's origin is not in the list, the backend's own
 * headers pass. A preflight of such an origin goes to the backend where annotations set CORS; a
 * route with the filter answers it without these headers.
 *
 * What annotations set is text (`text.ts`), because snippets of the same author may change it. What
 * the filter sets is data (`record.ts`), because no other text can.
 */

import { feature } from "../declare.ts";
import { fields, filter, policyOf } from "./read.ts";
import { corsRecord } from "./record.ts";
import { answerHeaders, view } from "./text.ts";
import { corsWords } from "./words.ts";

const waits = ({ enabled }: { readonly enabled: boolean }) => (enabled ? undefined : "enable-cors is not true");

export const cors = feature({
  name: "cors",
  scope: "location",
  fields,
  onlyWith: {
    enabled: ({ enabled, origins }) =>
      enabled && origins.length === 0 ? "cors-allow-origin names no origin" : undefined,
    origins: waits,
    methods: waits,
    headers: waits,
    exposed: waits,
    credentials: waits,
    maxAge: waits,
  },
  variables: [
    ...["cors", "cors_origins", "cors_methods", "cors_headers", "cors_exposed", "cors_max_age"],
    "cors_no_credentials",
  ],
  view,
  answerHeaders,
  ofRoutes: {
    filters: [filter],
    asFilters: (value) => {
      const cors = policyOf(value);
      return cors === undefined ? {} : { cors };
    },
    record: ({ cors }) => (cors === undefined ? {} : { cors: 1 }),
    traits: ({ cors }) => (cors === undefined ? {} : { answers: true }),
    steering: ({ cors }) => (cors === undefined ? {} : { cors: corsRecord(cors) }),
    words: ({ cors }) => (cors === undefined ? [] : [corsWords(cors)]),
  },
  mayAnswer: ({ enabled }) => enabled,
  shapesOwnAnswers: ({ enabled }) => enabled,
});
