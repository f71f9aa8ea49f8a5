/** The messages of discovery.k8s.io/v1: EndpointSlice. */
import { bool, int32, map, message, part, parts, text, texts } from "../protobuf/message.ts";
import { objectMeta } from "../protobuf/meta.ts";
import { objectReference } from "./core.ts";

const named = message({ 1: text("name") });
const endpoint = message({
  1: texts("addresses"),
  2: part("conditions", message({ 1: bool("ready"), 2: bool("serving"), 3: bool("terminating") })),
  3: text("hostname"),
  4: part("targetRef", objectReference),
  5: map("deprecatedTopology"),
  6: text("nodeName"),
  7: text("zone"),
  8: part("hints", message({ 1: parts("forZones", named), 2: parts("forNodes", named) })),
});
const port = message({ 1: text("name"), 2: text("protocol"), 3: int32("port"), 4: text("appProtocol") });

export const endpointSlice = message({
  1: part("metadata", objectMeta),
  2: parts("endpoints", endpoint),
  3: parts("ports", port),
  4: text("addressType"),
});
