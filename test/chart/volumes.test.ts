/** Volumes of the values beside those of the chart: neither names nor paths may occur twice. */
import { expect, test } from "vitest";
import { type Manifest, render, workloadOf } from "./support/helm.ts";

async function podWith(values: object): Promise<{ readonly names: string[]; readonly paths: string[] }> {
  const { volumes, containers } = workloadOf(await render(values)).spec.template.spec;
  return {
    names: volumes.map(({ name }: Manifest) => name),
    paths: containers[0].volumeMounts.map(({ name, mountPath }: Manifest) => `${name} ${mountPath}`),
  };
}

test("a volume of the values takes the place of the chart's own at the same path", async () => {
  const { names, paths } = await podWith({
    controller: {
      extraVolumes: ["tmp", "run", "log"].map((name) => ({ name, emptyDir: {} })),
      extraVolumeMounts: [
        { name: "tmp", mountPath: "/tmp" },
        { name: "log", mountPath: "/var/log/" },
        { name: "run", mountPath: "/etc/ingress-controller/ssl" },
      ],
    },
  });
  expect(names).toEqual([...new Set(names)]);
  expect(paths.filter((path) => !path.includes("certificates")).sort()).toEqual([
    "log /var/log/",
    "run /etc/ingress-controller/ssl",
    "sluice-ingress-controller /etc/ingress-controller",
    "sluice-run /run/sluice",
    "tmp /tmp",
  ]);
});

test("the folders in which ingress-nginx may write are volumes, because the root is read-only", async () => {
  const { names, paths } = await podWith({});
  expect(names).toEqual(expect.arrayContaining(["sluice-log", "sluice-tmp"]));
  expect(paths).toEqual(expect.arrayContaining(["sluice-log /var/log", "sluice-tmp /tmp"]));
});
