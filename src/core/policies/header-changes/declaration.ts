/**
 * Headers that are set, added or removed. Annotations set headers of answers, from a ConfigMap
 * (`config-map.ts`), and are text, because snippets of the same author may change them. The filters
 * RequestHeaderModifier and ResponseHeaderModifier are data (`record.ts`), because no other text
 * can.
 */

import type { AnswerHeader } from "../../tokens/place.ts";
import { Token } from "../../tokens/token.ts";
import { resolvedFeature } from "../declare.ts";
import { referenceField } from "../reference.ts";
import { headersIn } from "./config-map.ts";
import { filters } from "./read.ts";
import { steering, traits } from "./record.ts";
import { words } from "./words.ts";

export const customHeaders = resolvedFeature({
  name: "custom-headers",
  scope: "location",
  fields: {
    configMap: referenceField("custom-headers", {
      example: "shop/answer-headers",
      doc: "ConfigMap, as namespace/name, whose entries are headers of every answer. It may be in another namespace.",
    }),
  },
  resolve: ({ configMap }, context) => headersIn(configMap, context),
  shapesOwnAnswers: (headers) => headers.length > 0,
  answerHeaders: (headers, place) =>
    headers.map(({ name, value }, at): AnswerHeader => {
      const isData = place.live && !place.ofGateway;
      const bound = isData ? place.bind(`answer_header_${at + 1}`, value) : Token.text(value);
      const line = isData ? Token.conf`"${Token.name(name)}: ${bound}"` : Token.text(`${name}: ${value}`);
      return { name: Token.name(name), value: bound, always: true, replaces: true, inBlocks: true, line };
    }),
  ofRoutes: {
    filters,
    asFilters: (set) => (set.length === 0 ? {} : { responseHeaders: { set, add: [], remove: [] } }),
    steering,
    traits,
    words,
  },
});
