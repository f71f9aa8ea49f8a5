/**
 * `sluice reference annotations|settings|flags|metrics`: prints the reference pages, from the
 * declarations.
 */

import { own } from "../core/model/own.ts";
import { annotationsPage } from "../tools/reference/annotations-page.ts";
import { flagsPage } from "../tools/reference/flags-page.ts";
import { metricsPage } from "../tools/reference/metrics-page.ts";
import { settingsPage } from "../tools/reference/settings-page.ts";
import { type Out, printed } from "./out.ts";

const help = `Usage: sluice reference annotations|settings|flags|metrics

Prints a page of the reference in Markdown, made from the declarations, as in docs/reference.

Exit code 0, or 2 for a page that does not exist.
`;

const pages: Readonly<Record<string, () => string>> = {
  annotations: annotationsPage,
  settings: settingsPage,
  flags: flagsPage,
  metrics: metricsPage,
};

/** Returns exit code 0, or 2 for a page that does not exist. */
export function reference(argv: readonly string[], out: Out): number {
  if (argv[0] === "--help" || argv[0] === "-h") return printed(out, help);
  const page = own(pages, argv[0] ?? "");
  if (page === undefined || argv.length !== 1) {
    out.fail("sluice reference takes one word: annotations, settings, flags or metrics");
    return 2;
  }
  out.write(page());
  return 0;
}
