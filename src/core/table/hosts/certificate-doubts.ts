/**
 * Warns about served certificates that have expired, will expire soon, or are weak. The warnings
 * also change with time alone.
 */
import type { Certificate } from "../../model/configuration.ts";
import type { Problem } from "../../model/problem.ts";
import { Table } from "../../model/table.ts";

/** After this time the next call checks all certificates again. */
export const hourMs = 3_600_000;

/** Checks certificates that changed, and all of them once an hour. */
export class CertificateDoubts {
  #certificates = Table.empty<Certificate>();
  #hour = 0;
  #problems = Table.empty<readonly Problem[]>();

  /** Returns Problems by their subject. */
  of(certificates: Table<Certificate>, now: Date): Table<readonly Problem[]> {
    const hour = Math.floor(now.getTime() / hourMs);
    if (hour !== this.#hour) {
      this.#certificates = Table.empty();
      this.#problems = Table.empty();
    }
    const entries = certificates.changesSince(this.#certificates).map(({ key, after }) => {
      return [`Secret ${key}`, after && problemsOf(key, after, now)] as const;
    });
    this.#certificates = certificates;
    this.#hour = hour;
    this.#problems = this.#problems.with(entries);
    return this.#problems;
  }
}

function problemsOf(key: string, certificate: Certificate, now: Date): readonly Problem[] | undefined {
  const why = doubt(certificate, now);
  const [namespace, name] = key.split("/");
  if (why === undefined || namespace === undefined || name === undefined) return undefined;
  return [{ object: { kind: "Secret", namespace, name }, kind: "certificate-doubtful", why }];
}

/** Ten days, as in ingress-nginx. */
const soonMs = 240 * 3_600_000;

function doubt({ notBefore, notAfter, weakness }: Certificate, now: Date): string | undefined {
  if (notAfter < now) return `the certificate expired on ${day(notAfter)}`;
  if (notAfter.getTime() - now.getTime() < soonMs) return `the certificate expires soon, on ${day(notAfter)}`;
  if (notBefore > now) return `the certificate is not valid before ${day(notBefore)}`;
  return weakness?.why;
}

function day(date: Date): string {
  return date.toISOString().slice(0, 10);
}
