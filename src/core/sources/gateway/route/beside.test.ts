import { expect, test } from "vitest";
import { gateway, gatewayClass, namespace, pooled, route, serviceIn } from "../../../../../test/support/gateways.ts";
import { fake, put } from "../../../../../test/support/sketch.ts";
import { sentence } from "../../../model/problem.ts";
import { emptySnapshot } from "../../../model/snapshot.ts";
import { translate } from "../../../table/translator.ts";
import { emptyInputs } from "../../../table/turn.ts";

test("an annotation of Ingresses on a route is a warning, and its condition says where it belongs", () => {
  const plain = route({});
  const annotations = { "nginx.ingress.kubernetes.io/proxy-body-size": "8m", "sluice.dev/shadw": "true" };
  const written = { ...plain, metadata: { ...plain.metadata, annotations } };
  const snapshot = put(emptySnapshot, gatewayClass(), namespace("ns"), serviceIn("ns", "web"), gateway({}), written);
  const { problems, statuses } = translate({ ...emptyInputs, snapshot }, pooled, fake);
  const words = [...problems.values()].flat().map(sentence);
  expect(words).toEqual([
    "annotation proxy-body-size has no effect: it belongs to an Ingress; RouteSettings with this key do the same for a route",
    "annotation sluice.dev/shadw does not exist (did you mean sluice.dev/shadow?); it is ignored",
  ]);
  const status = new Map([...statuses]).get("HTTPRoute ns/route");
  const accepted =
    status?.kind === "route" ? status.parents[0]?.conditions.find(({ type }) => type === "Accepted") : null;
  expect(accepted).toMatchObject({ status: "True", message: expect.stringContaining(words[0]!) });
});
