/** Flags that exclude each other. */
import type { Flags } from "../flags.ts";

/** Returns the first clash as a sentence. */
export function clash(flags: Flags): string | undefined {
  return rules.map((rule) => rule(flags)).find((why) => why !== undefined);
}

const rules: readonly ((flags: Flags) => string | undefined)[] = [
  (flags) =>
    flags.watchNamespace !== undefined && flags.watchNamespaceSelector !== undefined
      ? "--watch-namespace and --watch-namespace-selector exclude each other"
      : undefined,
  (flags) =>
    flags.publishService !== undefined && flags.publishStatusAddress !== undefined
      ? "--publish-service and --publish-status-address exclude each other"
      : undefined,
  (flags) =>
    flags.metricsPerUndefinedHost && !flags.metricsPerHost
      ? "--metrics-per-undefined-host needs --metrics-per-host=true"
      : undefined,
  (flags) =>
    flags.serviceIngress && flags.serviceIngressHost === undefined
      ? "--service-ingress needs --service-ingress-host, such as {service}.{namespace}.example.com"
      : undefined,
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

function webhookPort({ validatingWebhook }: Flags): readonly (readonly [string, number])[] {
  return validatingWebhook === undefined
    ? []
    : [["--validating-webhook", Number(validatingWebhook.replace(/^.*:/, ""))]];
}
