import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { flagSamples } from "../../test/support/samples.ts";
import { written } from "../core/kinds/kind.ts";
import { sentence } from "../core/model/problem.ts";
import { parseFlags } from "./flags/parse.ts";
import { defaultFlags, flagList } from "./flags.ts";
import { helpText } from "./help.ts";

const known = readFileSync(new URL("../../test/fixtures/cli-flags.txt", import.meta.url), "utf8")
  .trim()
  .split("\n");

test("every flag of ingress-nginx is declared, and others are marked as Sluice's own", () => {
  const names = flagList.filter(([, { own }]) => !own).map(([, { name }]) => name);
  const missing = known.filter((name) => !names.includes(name));
  console.log(`Flags: ${known.length} known, ${names.length} declared, ${missing.length} missing`);
  expect(names.toSorted()).toEqual(known.toSorted());
});

test.each(flagList)("%s accepts its good samples and its default, and refuses its bad samples", (_name, flag) => {
  const { good, bad } = flagSamples(flag);
  for (const text of good) expect(flag.kind.read(text), text).toMatchObject({ ok: true });
  for (const text of bad) expect(flag.kind.read(text), text).toMatchObject({ ok: false });
  const usual = written(flag.kind, flag.default);
  if (usual !== "") expect(flag.kind.read(usual)).toEqual({ ok: true, value: flag.default });
});

const flagsOf = (...argv: string[]) => {
  const parsed = parseFlags(argv, "run");
  if (parsed.kind !== "flags") throw new Error(parsed.kind === "failure" ? parsed.why : parsed.kind);
  return { ...parsed, sentences: parsed.problems.map(sentence) };
};

test("without arguments all flags have their default", () => {
  expect(flagsOf()).toMatchObject({ flags: defaultFlags("run"), rest: [], sentences: [] });
});

test("serve has default ports of its own", () => {
  expect(parseFlags(["shop"], "serve")).toMatchObject({
    kind: "flags",
    flags: { httpPort: 8080, httpsPort: 8443, reloadBurst: 20 },
    rest: ["shop"],
    problems: [],
  });
});

test.each([
  [["--http-port=81"], { httpPort: 81 }],
  [["--http-port", "81"], { httpPort: 81 }],
  [["--http-port", "81", "--http-port=82"], { httpPort: 82 }],
  [["--enable-metrics"], { enableMetrics: true }],
  [["--update-status=false"], { updateStatus: false }],
  [["--update-status=F"], { updateStatus: false }],
  [["-v=2"], { v: 2 }],
  [["-v", "2"], { v: 2 }],
  [["-v2"], { v: 2 }],
  [["--v=2"], { v: 2 }],
  [["--time-buckets=1,2", "--time-buckets", "3"], { timeBuckets: [1, 2, 3] }],
  [["--exclude-socket-metrics=a,b", "--exclude-socket-metrics=c"], { excludeSocketMetrics: ["a", "b", "c"] }],
  [["--election-ttl=1m30s"], { electionTtl: 90_000 }],
  [["--election-ttl", "90s"], { electionTtl: 90_000 }],
  [["--configmap=ingress-nginx/controller"], { configmap: "ingress-nginx/controller" }],
  [["--publish-status-address=192.0.2.1,edge.example"], { publishStatusAddress: ["192.0.2.1", "edge.example"] }],
  [["--watch-namespace="], { watchNamespace: undefined }],
])("the arguments %j are read", (argv, expected) => {
  expect(flagsOf(...argv)).toMatchObject({ flags: { ...defaultFlags("run"), ...expected }, sentences: [] });
});

test("the arguments of a Pod for ingress-nginx are accepted", () => {
  const { flags, sentences } = flagsOf(
    "/nginx-ingress-controller",
    "--publish-service=ingress-nginx/ingress-nginx-controller",
    "--election-id=ingress-nginx-leader",
    "--controller-class=k8s.io/ingress-nginx",
    "--ingress-class=nginx",
    "--configmap=ingress-nginx/ingress-nginx-controller",
    "--validating-webhook=:8443",
    "--validating-webhook-certificate=/usr/local/certificates/cert",
    "--validating-webhook-key=/usr/local/certificates/key",
    "--enable-metrics=false",
  );
  expect(sentences).toEqual([]);
  expect(flags).toMatchObject({ electionId: "ingress-nginx-leader", validatingWebhook: ":8443" });
});

test.each([
  [["--http-prot=1"], "--http-prot is not a flag (did you mean --http-port?)"],
  [["--use-gzip=true"], "--use-gzip is not a flag: it is a key of the controller's ConfigMap"],
  [["--httpPort=1"], "--httpPort is not a flag (did you mean --http-port?)"],
  [["--something"], "--something is not a flag"],
  [["-x"], "-x is not a flag"],
  [["-http-port=81"], "-http-port=81: a long flag has two dashes: --http-port"],
  [["--http-port"], "--http-port needs a value"],
  [["--http-port=many"], '--http-port: "many" is not a port from 1 to 65535'],
  [["--http-port=99999"], '--http-port: "99999" is not a port from 1 to 65535'],
  [["--enable-metrics=yes"], '--enable-metrics: "yes" is neither true nor false'],
  [["--configmap=bare"], '--configmap: "bare" is not namespace/name'],
  [["--election-ttl=30"], '--election-ttl: "30" is not a duration like 30s or 1m30s'],
  [["--maxmind-edition-ids=GeoLite2-Moon"], /^--maxmind-edition-ids: "GeoLite2-Moon" is not one of /],
  [
    ["--watch-namespace=a", "--watch-namespace-selector=b=c"],
    "--watch-namespace and --watch-namespace-selector exclude each other",
  ],
  [
    ["--publish-service=a/b", "--publish-status-address=192.0.2.1"],
    "--publish-service and --publish-status-address exclude each other",
  ],
  [
    ["--metrics-per-undefined-host", "--metrics-per-host=false"],
    "--metrics-per-undefined-host needs --metrics-per-host=true",
  ],
  [["--http-port=443"], "--http-port and --https-port are both 443"],
  [
    ["--validating-webhook=:8443"],
    "--validating-webhook needs --validating-webhook-certificate and --validating-webhook-key",
  ],
  [["--service-ingress"], "--service-ingress needs --service-ingress-host, such as {service}.{namespace}.example.com"],
])("the arguments %j are refused with a message", (argv, why) => {
  expect(parseFlags(argv, "run")).toEqual({
    kind: "failure",
    why: typeof why === "string" ? why : expect.stringMatching(why),
  });
});

test.each([
  [["--log_dir=/tmp"], "--log_dir: logs go to standard output, never to files; it has no effect"],
  [["--update-status", "false"], "false: it is not a flag; the value of a switch is written with =; it is ignored"],
  [["--status-update-interval=1"], "--status-update-interval: 1 is below 5; 5 is used"],
  [
    ["--certificate-authority=/ca.crt"],
    "--certificate-authority: it is about the server that --apiserver-host names; it has no effect",
  ],
  [["--election-ttl=0"], "--election-ttl: a Lease must hold for some time; 30s is used"],
])("the arguments %j are accepted with a warning", (argv, report) => {
  expect(flagsOf(...argv).sentences).toEqual([report]);
});

test("flags about a cluster have no effect with serve, and a warning says so", () => {
  expect(parseFlags(["--publish-service=a/b", "shop"], "serve")).toMatchObject({
    kind: "flags",
    problems: [{ field: "--publish-service", why: "it is about a cluster" }],
  });
});

test.each([["--help"], ["-h"], ["--http-port=81 --help"]])("the arguments %s print the help", (line) => {
  expect(parseFlags(line.split(" "), "run")).toEqual({ kind: "help" });
});

test("--help names every flag with its meaning, in lines of at most 100 columns", () => {
  const text = helpText("run");
  for (const [, { name }] of flagList) expect(text).toContain(`--${name}`);
  expect(Math.max(...text.split("\n").map((line) => line.length))).toBeLessThanOrEqual(100);
  expect(text).toContain("  --http-port PORT\n      Port for http. Default: 80.\n");
});

test("--help of serve leaves out flags about a cluster", () => {
  expect(helpText("serve")).not.toContain("--election-id");
  expect(helpText("serve")).toContain("Port for http. Default: 8080.");
});
