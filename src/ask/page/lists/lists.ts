/**
 * The lists of all views. Each is made at its first use, and is kept as long as its sources stay
 * the same.
 */
import type { Clock } from "../../../base/timing/clock.ts";
import type { CertificateRow } from "../api/certificates.ts";
import type { ProblemRow, UnansweredRow } from "../api/problems.ts";
import type { ShadowRow } from "../api/shadow.ts";
import type { Marks } from "../live/live.ts";
import type { TrafficWindows } from "../live/traffic.ts";
import { shadowListing, shadowRows } from "../shadow/rows.ts";
import type { PageSource } from "../source.ts";
import { certificateListing, certificateRows } from "../views/certificates.ts";
import { type GatewayLists, gatewayLists } from "../views/gateways.ts";
import { problemListing, problemRows, unansweredRows } from "../views/problems.ts";
import { RouteRows } from "../views/route-rows.ts";
import { type PlainRoute, routeColumns } from "../views/routes.ts";
import { Listing } from "./listing.ts";

/** Certificates expire even if nothing changes, so their list is made again after a day. */
const dayMs = 24 * 3_600_000;
/** nginx's counts of routes in shadow are read at most once in this time. */
const countsMs = 2_000;

export class PageLists {
  readonly #source: PageSource;
  readonly #clock: Pick<Clock, "wall" | "now">;
  readonly #traffic: () => TrafficWindows | undefined;
  readonly #kept = new Map<string, { readonly marks: readonly unknown[]; readonly value: unknown }>();
  #routes: { readonly rows: RouteRows; readonly listing: Listing<PlainRoute> } | undefined;

  constructor(source: PageSource, clock: Pick<Clock, "wall" | "now">, traffic: () => TrafficWindows | undefined) {
    this.#source = source;
    this.#clock = clock;
    this.#traffic = traffic;
  }

  get marks(): Marks {
    const { configuration, snapshot, notes, ended, failures } = this.#source;
    const { servers, upstreams, certificates, listenerPorts, staples, defaultCertificate, shadows } =
      configuration() ?? {};
    const { endpointSlices, configMaps } = snapshot();
    const routes = [servers, upstreams, certificates, endpointSlices, failures.revision];
    return {
      // The Overview shows the last changes, so every change affects it.
      overview: [{}],
      routes: [...routes, configMaps],
      problems: [notes.problems.revision, ...routes],
      certificates: [servers, listenerPorts, certificates, staples, defaultCertificate, notes.problems.revision],
      gateways: [notes.statuses],
      shadow: [shadows, ended()],
    };
  }

  get routes(): Listing<PlainRoute> {
    this.#routes ??= {
      rows: new RouteRows(this.#source.failures),
      listing: new Listing([], routeColumns(this.#traffic)),
    };
    const { rows, listing } = this.#routes;
    const served = this.#source.configuration();
    if (served === undefined) return listing;
    const next = listing.changed(rows.renew(served, this.#source.snapshot()));
    this.#routes = { rows, listing: next };
    return next;
  }

  get problems(): Listing<ProblemRow> {
    const marks = [this.#source.notes.problems.revision];
    return this.#keep("problems", marks, () => problemListing(problemRows(this.#source)));
  }

  get unanswered(): readonly UnansweredRow[] {
    const { rows } = this.routes;
    const snapshot = this.#source.snapshot();
    return this.#keep("unanswered", [rows, snapshot.services], () => unansweredRows(rows, snapshot));
  }

  get certificates(): Listing<CertificateRow> {
    const now = this.#clock.wall();
    const marks = [...this.marks.certificates, Math.floor(now / dayMs)];
    return this.#keep("certificates", marks, () => certificateListing(certificateRows(this.#source, new Date(now))));
  }

  get gateways(): GatewayLists {
    return this.#keep("gateways", this.marks.gateways, () => gatewayLists(this.#source));
  }

  /** Reads nginx's counts of routes in shadow. */
  get shadow(): Promise<Listing<ShadowRow>> {
    const { configuration, shadows, ended } = this.#source;
    const marks = [configuration(), ended(), Math.floor(this.#clock.now() / countsMs)];
    return this.#keep("shadow", marks, async () =>
      shadowListing(shadowRows(await shadows(), ended(), configuration())),
    );
  }

  /** Frees the memory of the lists. */
  forget(): void {
    this.#kept.clear();
    this.#routes = undefined;
  }

  #keep<T>(name: string, marks: readonly unknown[], make: () => T): T {
    const known = this.#kept.get(name);
    if (known?.marks.every((mark, at) => mark === marks[at])) return known.value as T;
    const value = make();
    this.#kept.set(name, { marks, value });
    return value;
  }
}
