import { expect, test } from "vitest";
import { flagList } from "../controller/flags.ts";
import { annotationKeys } from "../core/policies/read.ts";
import { settings } from "../core/settings/registry.ts";
import { explain } from "./explain.ts";
import { reference } from "./reference.ts";

function printed(command: typeof reference, ...argv: string[]) {
  const texts: string[] = [];
  const code = command(argv, { write: (text) => texts.push(text), fail: (sentence) => texts.push(sentence) });
  return { code, text: texts.join("") };
}

test.each([
  ["annotations", "annotations"],
  ["settings", "configmap"],
  ["flags", "flags"],
  ["metrics", "metrics"],
])("docs/reference has the current page of %s", async (page, file) => {
  const { code, text } = printed(reference, page);
  expect(code).toBe(0);
  await expect(text).toMatchFileSnapshot(new URL(`../../docs/reference/${file}.md`, import.meta.url).pathname);
});

test("a page that does not exist is exit code 2", () => {
  expect(printed(reference, "keys")).toEqual({
    code: 2,
    text: "sluice reference takes one word: annotations, settings, flags or metrics",
  });
});

test("explain prints every meaning of a name", () => {
  expect(printed(explain, "proxy-read-timeout")).toEqual({
    code: 0,
    text: `ConfigMap key proxy-read-timeout
  How long a pause between two reads from an Endpoint may last.
  Default:        60
  Value:          whole seconds from 1 to 2073600
  nginx:          proxy_read_timeout, grpc_read_timeout
  A change costs: a reload of nginx

annotation nginx.ingress.kubernetes.io/proxy-read-timeout
  How long a pause between two reads from an Endpoint may last; raise it for websockets and streaming.
  Default:        60 (proxy-read-timeout)
  Value:          whole seconds, from 1
  Applies:        For the paths of the Ingress.
  On routes:      in RouteSettings
  Risk:           Low
  nginx:          proxy_read_timeout, grpc_read_timeout
  A change costs: a reload of nginx, unless other paths have the same settings already
`,
  });
});

test.each([
  ["Use-GZip", /^ConfigMap key use-gzip\n/],
  ["--http-port", /^flag --http-port PORT\n[\s\S]*Note: +With serve: 8080\.\n$/],
  ["v", /^flag -v, --v LEVEL\n/],
  ["nginx.ingress.kubernetes.io/proxy-read-timeout", /^annotation nginx/],
  ["grpc-backend", /^annotation grpc-backend\n {2}Removed; it does nothing\. Use backend-protocol with GRPC\.\n$/],
  ["jaeger-endpoint", /No effect: OpenTracing was removed/],
])("explain finds %s and prints its meaning", (name, expected) => {
  expect(printed(explain, name)).toEqual({ code: 0, text: expect.stringMatching(expected) });
});

test.each(["--help", "-h"])("explain %s prints the help, which says how to request the flag of that name", (asked) => {
  const { code, text } = printed(explain, asked);
  expect([code, text.startsWith("Usage: sluice explain KEY\n"), text.includes("\nflag ")]).toEqual([0, true, false]);
  expect(text).toContain("sluice explain help");
  expect(printed(explain, "help").text).toMatch(/^flag -h, --help\n/);
});

test("a name that does not exist is exit code 2 and names the nearest", () => {
  expect(printed(explain, "use-gzp")).toEqual({
    code: 2,
    text: "use-gzp is no ConfigMap key, annotation, flag or word of the Gateway API (did you mean use-gzip?)",
  });
});

test("a flag that does not exist is compared with flags alone", () => {
  expect(printed(explain, "--http-prot").text).toBe(
    "--http-prot is no ConfigMap key, annotation, flag or word of the Gateway API (did you mean --http-port?)",
  );
});

const names = {
  "ConfigMap key": Object.values(settings).map(({ key }) => key),
  annotation: annotationKeys,
  // With dashes, `help` names the help of explain itself.
  flag: flagList.map(([, { name }]) => (name === "help" ? name : `--${name}`)),
};
const everyName = Object.entries(names).flatMap(([kind, some]) => some.map((name) => [kind, name] as const));

test.each(everyName)(
  "explain prints for the %s %s its effect, its default, its values and the cost of a change",
  (kind, name) => {
    const { code, text } = printed(explain, name);
    expect(code).toBe(0);
    const part = text.split(/\n(?=\S)/).find((one) => one.startsWith(kind))!;
    expect(part.split("\n")[1]).toMatch(/^ {2}\S.*\.$/);
    for (const line of ["Default:", "Value:"]) expect(part).toMatch(new RegExp(`^  ${line} +\\S`, "m"));
    // A new value of a flag needs a restart, unless the flag has no effect.
    if (!/^ {2}Note: +No effect/m.test(part)) expect(part).toMatch(/^ {2}A change costs: +\S/m);
  },
);

test.each([
  ["body-size", "body-size does not exist: proxy-body-size is the largest body"],
  [
    "zipkin-collector-host",
    "zipkin-collector-host does not exist: OpenTracing was removed from ingress-nginx; use enable-opentelemetry",
  ],
  [
    "nginx.ingress.kubernetes.io/hsts",
    "nginx.ingress.kubernetes.io/hsts does not exist: it is a key of the controller's ConfigMap",
  ],
  [
    "proxy-body-sise",
    "proxy-body-sise is no ConfigMap key, annotation, flag or word of the Gateway API (did you mean proxy-body-size?)",
  ],
])("explain says why %s does not exist", (name, expected) => {
  const failures: string[] = [];
  expect(explain([name], { write: () => {}, fail: (sentence) => void failures.push(sentence) })).toBe(2);
  expect(failures).toEqual([expected]);
});

test("the output of explain is that in explain.txt", async () => {
  const asked =
    "use-gzip jaeger-endpoint lua-shared-dicts load-balance canary-weight auth-url server-alias --v --sync-period";
  const texts = asked.split(" ").map((name) => `$ sluice explain ${name}\n${printed(explain, name).text}`);
  const file = new URL("../../test/golden/tools/explain.txt", import.meta.url).pathname;
  await expect(texts.join("\n")).toMatchFileSnapshot(file);
});
