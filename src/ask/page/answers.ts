/**
 * The JSON below `/ui/api/v1/`: reads the parameters of a request and makes its answer from the
 * lists.
 */

import type { HistoryAnswer } from "./api/history.ts";
import type { RouteList, RouteRow } from "./api/routes.ts";
import type { ViewsAnswer } from "./api/views.ts";
import type { Listing, ListQuery } from "./lists/listing.ts";
import type { PageLists } from "./lists/lists.ts";
import type { TrafficWindows } from "./live/traffic.ts";
import {
  askParameters,
  historyParameters,
  listParameters,
  listQuery,
  type Parameters,
  questionIn,
  routeParameters,
  whyWrong,
} from "./params.ts";
import { shadowList } from "./shadow/rows.ts";
import { shown } from "./shown.ts";
import type { PageSource } from "./source.ts";
import { gatewaysAnswer } from "./views/gateways.ts";
import { quarantineRows } from "./views/problems.ts";
import { notCounted, routeDetail } from "./views/route.ts";
import { type PlainRoute, trafficOf } from "./views/routes.ts";

const noHistory = { stepSeconds: 0, requestsPerSecond: [], errorsPerSecond: [], p99: [], reloads: [], changes: [] };

/** A value, or the reason why there is none. */
export type Answer = { readonly value: unknown } | { readonly status: 400 | 404 | 500 | 503; readonly why: string };

interface Part {
  readonly known: Parameters;
  readonly answer: (params: URLSearchParams) => Answer | Promise<Answer>;
}

export class ApiAnswers {
  readonly #source: PageSource;
  readonly #lists: PageLists;
  readonly #traffic: () => TrafficWindows | undefined;
  readonly #parts: Readonly<Record<string, Part>>;

  constructor(source: PageSource, lists: PageLists, traffic: () => TrafficWindows | undefined) {
    this.#source = source;
    this.#lists = lists;
    this.#traffic = traffic;
    const list = <Row extends object>(
      listing: () => Listing<Row> | Promise<Listing<Row>>,
      value: (query: ListQuery, listing: Listing<Row>) => unknown,
    ): Part => ({ known: listParameters, answer: async (params) => listed(params, await listing(), value) });
    this.#parts = {
      status: { known: {}, answer: () => this.#status() },
      views: { known: {}, answer: () => ({ value: this.#views() }) },
      routes: list(
        () => lists.routes,
        (query) => this.#routes(query),
      ),
      route: { known: routeParameters, answer: (params) => this.#route(params) },
      history: { known: historyParameters, answer: (params) => ({ value: this.#history(params) }) },
      ask: { known: askParameters, answer: (params) => this.#ask(params) },
      problems: list(
        () => lists.problems,
        (query, listing) => ({
          ...listing.page(query),
          quarantine: quarantineRows(source),
          unanswered: lists.unanswered,
        }),
      ),
      certificates: list(
        () => lists.certificates,
        (query, listing) => listing.page(query),
      ),
      gateways: list(
        () => lists.gateways.routes,
        (query) => gatewaysAnswer(lists.gateways, query),
      ),
      shadow: list(
        () => lists.shadow,
        (query, listing) => shadowList(listing, query),
      ),
    };
  }

  /** The names of the parameters that each part takes. */
  get parameters(): ReadonlyMap<string, readonly string[]> {
    return new Map(Object.entries(this.#parts).map(([name, { known }]) => [name, Object.keys(known)]));
  }

  async of(name: string, params: URLSearchParams): Promise<Answer> {
    const part = Object.hasOwn(this.#parts, name) ? this.#parts[name] : undefined;
    if (part === undefined) return { status: 404, why: `"${shown(name, 100)}" is not a part of the API` };
    const why = whyWrong(params, name, part.known);
    return why === undefined ? part.answer(params) : { status: 400, why };
  }

  async #status(): Promise<Answer> {
    const value = await this.#source.status();
    return value === undefined ? { status: 503, why: "the controller has not started yet" } : { value };
  }

  #views(): ViewsAnswer {
    const { notes, configuration, ended, names } = this.#source;
    const shadows = configuration()?.shadows.size ?? 0;
    const { grafana, hasCluster } = names;
    return { gateways: notes.statuses.size > 0, shadow: shadows > 0 || ended().length > 0, grafana, hasCluster };
  }

  #routes(query: ListQuery): RouteList {
    const list = this.#lists.routes.page(query);
    const rows = list.rows.map((row: PlainRoute): RouteRow => ({ ...row, traffic: trafficOf(row, this.#traffic()) }));
    return { ...list, rows, notCounted: this.#source.requests === undefined ? notCounted : "" };
  }

  /** The host is the one by which requests are counted. */
  #history(params: URLSearchParams): HistoryAnswer {
    const [host, owner = "", path = ""] = ["host", "owner", "path"].map((name) => params.get(name) ?? undefined);
    return this.#source.history?.of(host === undefined ? undefined : { host, owner, path }) ?? noHistory;
  }

  async #route(params: URLSearchParams): Promise<Answer> {
    const of = (name: string) => params.get(name) ?? "";
    const name = { host: of("host"), path: of("path"), owner: of("owner"), listener: of("listener"), when: of("when") };
    const value = await routeDetail(name, this.#source, this.#traffic());
    return value === undefined ? { status: 404, why: "there is no such route" } : { value };
  }

  async #ask(params: URLSearchParams): Promise<Answer> {
    const question = questionIn(params);
    if (typeof question === "string") return { status: 400, why: question };
    const outcome = await this.#source.ask(question);
    return outcome.ok ? { value: outcome.answer } : { status: 400, why: outcome.why };
  }
}

function listed<Row extends object>(
  params: URLSearchParams,
  listing: Listing<Row>,
  value: (query: ListQuery, listing: Listing<Row>) => unknown,
): Answer {
  const query = listQuery(params, listing.sorts);
  return typeof query === "string" ? { status: 400, why: query } : { value: value(query, listing) };
}
