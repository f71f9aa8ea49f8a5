/**
 * Reads a command line as typed Flags, or returns the one sentence that says why the program does
 * not start; the exit code is then 2.
 */
import { isLoopback } from "../../core/kinds/addresses.ts";
import { readValue } from "../../core/kinds/kind.ts";
import type { ObjectName, Problem } from "../../core/model/problem.ts";
import { type Command, defaultFlags, type Flags, flagList } from "../flags.ts";
import { type Given, split } from "./arguments.ts";
import { webhookPort } from "./options.ts";

/** Flags that exclude each other. Returns the first clash as a sentence. */
function clash(flags: Flags): string | undefined {
  return rules.map((rule) => rule(flags) || undefined).find((why) => why !== undefined);
}

const rules: readonly ((flags: Flags) => string | false | undefined)[] = [
  ({ watchNamespace, watchNamespaceSelector }) =>
    watchNamespace !== undefined &&
    watchNamespaceSelector !== undefined &&
    "--watch-namespace and --watch-namespace-selector exclude each other",
  ({ publishService, publishStatusAddress }) =>
    publishService !== undefined &&
    publishStatusAddress !== undefined &&
    "--publish-service and --publish-status-address exclude each other",
  ({ metricsPerUndefinedHost, metricsPerHost }) =>
    metricsPerUndefinedHost && !metricsPerHost && "--metrics-per-undefined-host needs --metrics-per-host=true",
  ({ serviceIngress, serviceIngressHost }) =>
    serviceIngress &&
    serviceIngressHost === undefined &&
    "--service-ingress needs --service-ingress-host, such as {service}.{namespace}.example.com",
  webhookCertificate,
  samePort,
];

function webhookCertificate(flags: Flags): string | undefined {
  if (flags.validatingWebhook === undefined) return undefined;
  if (flags.validatingWebhookCertificateSecret !== undefined) {
    const whole = flags.validatingWebhookConfiguration !== undefined;
    return whole ? undefined : "--validating-webhook-certificate-secret needs --validating-webhook-configuration";
  }
  const missing = [
    ...(flags.validatingWebhookCertificate === undefined ? ["--validating-webhook-certificate"] : []),
    ...(flags.validatingWebhookKey === undefined ? ["--validating-webhook-key"] : []),
  ];
  return missing.length === 0 ? undefined : `--validating-webhook needs ${missing.join(" and ")}`;
}

function samePort(flags: Flags): string | undefined {
  const ports = [
    ["--http-port", flags.httpPort],
    ["--https-port", flags.httpsPort],
    ["--status-port", flags.statusPort],
    ["--default-server-port", flags.defaultServerPort],
    ["--healthz-port", flags.healthzPort],
    ...(flags.uiPort ? [["--ui-port", flags.uiPort] as const] : []),
    ...(flags.profiling ? [["--profiler-port", flags.profilerPort] as const] : []),
    ...webhookPort(flags),
  ] as const;
  const taken = new Map<number, string>();
  for (const [name, port] of ports) {
    const other = taken.get(port);
    if (other !== undefined) return `${other} and ${name} are both ${port}`;
    taken.set(port, name);
  }
  return undefined;
}

export type ParsedFlags =
  | {
      readonly kind: "flags";
      readonly flags: Flags;
      /** The flags that the command line has. */
      readonly named: ReadonlySet<keyof Flags>;
      /** Arguments, such as the folder of `serve`. */
      readonly rest: readonly string[];
      /** Flags without an effect here, and arguments that are ignored. */
      readonly problems: readonly Problem[];
    }
  | { readonly kind: "help" }
  | { readonly kind: "version" }
  | { readonly kind: "failure"; readonly why: string };

export function parseFlags(argv: readonly string[], command: Command): ParsedFlags {
  const words = split(
    argv,
    flagList.map(([, flag]) => flag),
  );
  if (!words.ok) return { kind: "failure", why: words.why };
  const values: Record<string, unknown> = { ...defaultFlags(command) };
  for (const [name, flag] of flagList) {
    const texts = words.given.filter((given) => given.flag === flag).map(({ text }) => text);
    if (texts.length === 0) continue;
    const text = flag.list ? texts.join(",") : texts.at(-1)!;
    const read = readValue(flag.kind, text);
    if (!read.ok) return { kind: "failure", why: `--${flag.name}: ${read.why}` };
    values[name] = read.value;
  }
  const flags = values as unknown as Flags;
  if (flags.help) return { kind: "help" };
  if (flags.version) return { kind: "version" };
  const why = clash(flags);
  if (why !== undefined) return { kind: "failure", why };
  const object = { kind: "Command", name: command };
  return {
    kind: "flags",
    flags: adjusted(flags),
    named: new Set(
      flagList.flatMap(([name, flag]) => (words.given.some((given) => given.flag === flag) ? [name] : [])),
    ),
    rest: words.rest,
    problems: [
      ...useless(words.given, object, command),
      ...adjustments(flags, object),
      ...strays(words.rest, object, command),
    ],
  };
}

function useless(given: readonly Given[], object: ObjectName, command: Command): Problem[] {
  return [...new Set(given.map(({ flag }) => flag))].flatMap((flag) => {
    const why = flag.noEffect ?? (command === "serve" && flag.cluster ? "it is about a cluster" : undefined);
    if (why === undefined) return [];
    return [{ kind: "value-useless", object, field: `--${flag.name}`, why, done: "it has no effect" } as const];
  });
}

/** Moves values into their range if ingress-nginx does that instead of refusing them. */
function adjusted(flags: Flags): Flags {
  return {
    ...flags,
    electionTtl: flags.electionTtl > 0 ? flags.electionTtl : 30_000,
    statusUpdateInterval: Math.max(5, flags.statusUpdateInterval),
    profilerAddress: isLoopback(flags.profilerAddress) ? flags.profilerAddress : "127.0.0.1",
  };
}

function adjustments(flags: Flags, object: ObjectName): Problem[] {
  const { electionTtl, statusUpdateInterval, profilerAddress } = flags;
  const found: Problem[] = [];
  const say = (field: string, why: string, done: string) =>
    found.push({ kind: "value-unusable", object, field, why, done });
  if (electionTtl <= 0) say("--election-ttl", "a Lease must hold for some time", "30s is used");
  if (statusUpdateInterval < 5) say("--status-update-interval", `${statusUpdateInterval} is below 5`, "5 is used");
  if (!isLoopback(profilerAddress))
    say("--profiler-address", `${profilerAddress} can be reached from elsewhere`, "127.0.0.1 is used");
  if (flags.certificateAuthority !== undefined && flags.apiserverHost === undefined)
    say("--certificate-authority", "it is about the server that --apiserver-host names", "it has no effect");
  return found;
}

/**
 * Reports arguments if none is expected. ingress-nginx ignored them; often one is the value of a
 * switch that was written without `=`.
 */
function strays(rest: readonly string[], object: ObjectName, command: Command): Problem[] {
  if (command === "serve") return [];
  return rest
    .filter((word, at) => at > 0 || !word.endsWith("/nginx-ingress-controller"))
    .map((word) => ({
      kind: "value-unusable",
      object,
      field: word,
      why: "it is not a flag; the value of a switch is written with =",
      done: "it is ignored",
    }));
}
