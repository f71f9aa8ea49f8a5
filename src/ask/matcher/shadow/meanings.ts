import type { Difference } from "./report.ts";

/** The meaning of each kind of difference for the requests of a route in shadow. */
export const differenceMeanings: Readonly<Record<Difference, string>> = {
  backend: "other Services get them",
  odds: "Services get other shares of them",
  guards: "something else guards them",
  filters: "headers, CORS, sessions, copies or the host are treated otherwise",
  path: "backends see another path",
  redirect: "they are redirected elsewhere, or no more",
  answer: "they get another answer",
  unclear: "only nginx can say",
  same: "nothing is otherwise",
};
