/**
 * An unreadable value of any annotation gives a Problem, has the declared consequence, and has no
 * effect on another Ingress.
 */
import { expect, test } from "vitest";
import { badAnnotations } from "../../../test/support/bad-annotations.ts";
import { base, configMap, fake, ingress, put, service } from "../../../test/support/sketch.ts";
import { defaultOptions } from "./options.ts";
import { translate } from "./translator.ts";
import { emptyInputs } from "./turn.ts";

const data = { "annotations-risk-level": "Critical", "allow-snippet-annotations": "true" };
const around = put(
  base,
  service("web"),
  configMap("ns/settings", data),
  ingress({ name: "good", host: "good.example" }),
);
const of = (snapshot: typeof around) =>
  translate({ ...emptyInputs, snapshot }, { ...defaultOptions, configMap: "ns/settings" }, fake);
const alone = of(around).configuration.servers.get("good.example");

test.each(badAnnotations)(
  "$key: $text has the declared consequence on its own Ingress alone",
  ({ key, annotations, done, gated }) => {
    const { configuration, problems } = of(put(around, ingress({ name: "bad", host: "bad.example", annotations })));
    const all = [...problems.values()].flat();
    expect(all).toContainEqual(
      expect.objectContaining({
        kind: "annotation-unreadable",
        key,
        done,
        object: expect.objectContaining({ name: "bad" }),
      }),
    );
    expect(all.filter(({ object }) => object.name === "good")).toEqual([]);
    expect(configuration.servers.get("good.example")).toEqual(alone);
    const server = configuration.servers.get("bad.example");
    if (done === "reject") expect(server).toBeUndefined();
    // Another annotation may close the paths as well, because its Secret does not exist.
    else if (!gated || done === "deny")
      expect(server?.locations.map(({ closed }) => closed !== undefined)).toEqual([done === "deny"]);
  },
);
