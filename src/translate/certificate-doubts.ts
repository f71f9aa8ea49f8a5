/** What is to be said about certificates that are served: they are out of date, or weak. It changes with time alone. */
import type { Certificate } from "../model/configuration.ts";
import type { Problem } from "../problem.ts";

export function certificateProblems(certificates: Iterable<Certificate>, now: Date): Map<string, readonly Problem[]> {
  const found = new Map<string, readonly Problem[]>();
  for (const certificate of certificates) {
    const why = doubt(certificate, now);
    if (why === undefined) continue;
    const [namespace, name] = certificate.id.split("/");
    if (namespace === undefined || name === undefined) continue;
    const object = { kind: "Secret", namespace, name };
    found.set(`Secret ${certificate.id}`, [{ object, kind: "certificate-doubtful", why }]);
  }
  return found;
}

/** Ten days, as ingress-nginx has it. */
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
