/** Reads a host policy from one ConfigMap, or from the labels of Namespaces. */
import type { ConfigMap, Namespace } from "../../model/objects.ts";
import { own } from "../../model/own.ts";
import type { ObjectName, Problem } from "../../model/problem.ts";
import type { HostEntry } from "./policy.ts";

export interface ReadEntries {
  readonly entries: readonly HostEntry[];
  readonly problems: readonly Problem[];
}

/** The prefix of such labels: `hosts.sluice.dev/shop.example.com: exact`. */
const labelPrefix = "hosts.sluice.dev/";

const label = "[a-z\\d](?:[a-z\\d-]{0,61}[a-z\\d])?";
const name = new RegExp(`^${label}(?:\\.${label})*$`);

/**
 * Reads the entries of a ConfigMap. Each key is a namespace, and its value lists hosts, separated
 * by commas, blanks or line breaks.
 */
export function entriesOfConfigMap({ metadata, data = {} }: ConfigMap): ReadEntries {
  const object = { kind: "ConfigMap", namespace: metadata.namespace ?? "default", name: metadata.name };
  const entries: HostEntry[] = [];
  const problems: Problem[] = [];
  for (const [namespace, list] of Object.entries(data)) {
    for (const written of list.split(/[\s,]+/).filter((word) => word !== "")) {
      const hosts = written.toLowerCase();
      if (isHosts(hosts)) entries.push({ namespace, hosts });
      else problems.push(unusable(object, `data.${namespace}`, JSON.stringify(written)));
    }
  }
  return { entries, problems };
}

const isHosts = (text: string): boolean => text === "*" || name.test(text.replace(/^(?:\*\.|\.)/, ""));

/**
 * The form of the hosts by the value of the label, because the name of a label cannot hold an
 * asterisk.
 */
const forms: Readonly<Record<string, (name: string) => string>> = {
  exact: (host) => host,
  wildcard: (host) => `*.${host}`,
  suffix: (host) => `.${host}`,
};

export function entriesOfNamespaces(namespaces: Iterable<Namespace>): ReadEntries {
  const entries: HostEntry[] = [];
  const problems: Problem[] = [];
  for (const { metadata } of namespaces) {
    for (const [key, value] of Object.entries(metadata.labels ?? {})) {
      if (!key.startsWith(labelPrefix)) continue;
      const host = key.slice(labelPrefix.length).toLowerCase();
      const form = own(forms, value);
      if (form !== undefined && name.test(host)) entries.push({ namespace: metadata.name, hosts: form(host) });
      else problems.push(unusableLabel(metadata.name, key, value));
    }
  }
  return { entries, problems };
}

function unusable(object: ObjectName, field: string, found: string): Problem {
  const why = `${found} is not a host such as shop.example.com, *.example.com or .example.com`;
  return { object, kind: "value-unusable", field, why, done: "the policy is used without it" };
}

function unusableLabel(namespace: string, key: string, value: string): Problem {
  const why = `${JSON.stringify(value)} is not exact, wildcard or suffix, or the label names no host`;
  const field = `metadata.labels[${key}]`;
  const object = { kind: "Namespace", name: namespace };
  return { object, kind: "value-unusable", field, why, done: "the policy is used without it" };
}
