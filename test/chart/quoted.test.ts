/**
 * Tests numbers and booleans in quotes with real helm, because values files that other programs
 * have written often have them.
 */
import { describe, expect, test } from "vitest";
import { copiedFlag, flag, type Shape, testedAndCopied, whole } from "../../scripts/chart/shape.ts";
import { chartValues } from "../../scripts/chart/values.ts";
import { valuesInUse } from "../../src/move/compat/chart/values.ts";
import { type Manifest, one, render, workloadOf } from "./support/helm.ts";

/**
 * Every value with one of these shapes, and the text that `write` makes of it. Only one of the two
 * autoscalers may be on.
 */
function all(shapes: readonly Shape[], write: (shape: Shape) => unknown): Manifest {
  const values: Manifest = {};
  for (const { path, shape, fate } of chartValues) {
    if (!shapes.includes(shape) || fate.kind === "no-meaning" || path === "controller.keda.enabled") continue;
    const keys = path.split(".");
    const above = keys.slice(0, -1).reduce((at: Manifest, key) => {
      at[key] ??= {};
      return at[key];
    }, values);
    above[keys.at(-1)!] = write(shape);
  }
  return values;
}
const manifestOf = async (values: Manifest) => (await render(values)).manifest;

describe("a value in quotes", () => {
  test("is the number that the quotes contain", async () => {
    expect(await manifestOf(all([whole], () => "7"))).toBe(await manifestOf(all([whole], () => 7)));
  });

  test("is true where the quotes contain true", async () => {
    const [quoted, plain] = await Promise.all(
      ["true", true].map((word) => manifestOf(all([flag, copiedFlag, testedAndCopied], () => word))),
    );
    expect(quoted).toBe(plain);
  });

  // The expected results come from ingress-nginx's chart 4.15.1, rendered with each of these
  // values.
  test("is a false that is copied as false, and counts as true in a condition", async () => {
    const own = { unprivilegedPortSysctl: true, http3: true, runInMemory: true, nginxContainer: { enabled: true } };
    const quoted: Manifest = { ...all([flag, copiedFlag, testedAndCopied], () => "false"), sluice: own };
    const plain: Manifest = {
      ...all([flag, copiedFlag, testedAndCopied], (shape) => shape !== copiedFlag),
      sluice: own,
    };
    for (const values of [quoted, plain])
      values.controller.hostNetwork = values.controller.shareProcessNamespace = true;
    const { notes } = await render(quoted);
    expect(await manifestOf(quoted)).toBe(await manifestOf(plain));
    expect(notes).toContain("these values are text, and count as true");
    expect(notes).toContain('- controller.metrics.enabled: "false"\n');
    expect(notes).not.toContain("runAsNonRoot");
  });

  test("is true where it is any other word, and the notes say so", async () => {
    const { manifest, notes } = await render({ controller: { metrics: { enabled: "enable" } } });
    expect(manifest).toBe(await manifestOf({ controller: { metrics: { enabled: true } } }));
    expect(notes).toContain("these values are text, and count as true");
    expect(notes).toContain('- controller.metrics.enabled: "enable"\n');
  });

  test("is false where it is copied and also a condition", async () => {
    const { spec } = workloadOf(await render({ controller: { hostNetwork: "false", shareProcessNamespace: "False" } }))
      .spec.template;
    expect(spec).toMatchObject({ hostNetwork: false, shareProcessNamespace: false });
  });

  test("is false below sluice", async () => {
    const no = {
      http3: "false",
      runInMemory: "no",
      unprivilegedPortSysctl: "False",
      nginxContainer: { enabled: "off" },
    };
    const not = { http3: false, runInMemory: false, unprivilegedPortSysctl: false, nginxContainer: { enabled: false } };
    expect(await manifestOf({ sluice: no })).toBe(await manifestOf({ sluice: not }));
    const yes = await render({ sluice: { http3: "true", nginxContainer: { enabled: "yes" } } });
    expect(one(yes, "ConfigMap", "ingress-nginx-controller").data["use-http3"]).toBe("true");
    expect(workloadOf(yes).spec.template.spec.containers).toHaveLength(2);
  });

  test.each([
    [{ hostNetwork: "maybe" }, "/controller/hostNetwork"],
    [{ image: { runAsNonRoot: "maybe" } }, "/controller/image/runAsNonRoot"],
    [{ replicaCount: "two" }, "/controller/replicaCount"],
  ])("the value %j is refused", async (controller, place) => {
    await expect(render({ controller })).rejects.toThrow(place);
  });
});

test("a list or a mapping below controller.config becomes the text of ingress-nginx's chart, and is named", async () => {
  const config = { "custom-http-errors": [404, 503], proxySetHeaders: { "X-B": 5, "X-A": "a b" }, unknown: ["a"] };
  const rendered = await render({ controller: { config } });
  expect(one(rendered, "ConfigMap", "ingress-nginx-controller").data).toEqual({
    "custom-http-errors": "[404 503]",
    proxySetHeaders: "map[X-A:a b X-B:5]",
    unknown: "[a]",
  });
  expect(rendered.notes).toContain('- controller.config.custom-http-errors: a list, which becomes "[404 503]"\n');
  const headers = '"map[X-A:a b X-B:5]"; controller.proxySetHeaders takes a mapping';
  expect(rendered.notes).toContain(`- controller.config.proxySetHeaders: a mapping, which becomes ${headers}\n`);
  const placeOf = () => ({ file: "values.yaml", line: 1, column: 1 });
  expect(valuesInUse({ content: { controller: { config } }, placeOf })).toEqual([
    expect.objectContaining({ path: "controller.config", fate: "same" }),
    expect.objectContaining({
      fate: "ignored",
      note: expect.stringContaining('a list, which becomes the text "[404 '),
    }),
    expect.objectContaining({ fate: "ignored", note: expect.stringContaining(headers) }),
  ]);
});

test("keys of the ConfigMap that stand a level too deep are named with their place", async () => {
  const controller = { config: { data: { "proxy-body-size": "30m" } } };
  expect((await render({ controller })).notes).toContain(
    "- controller.config.data (its keys belong to controller.config itself)\n",
  );
  const placeOf = () => ({ file: "values.yaml", line: 1, column: 1 });
  expect(valuesInUse({ content: { controller }, placeOf })).toContainEqual(
    expect.objectContaining({ fate: "ignored", note: expect.stringContaining("belong to controller.config itself") }),
  );
});
