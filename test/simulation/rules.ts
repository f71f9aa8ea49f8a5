/**
 * What must hold at every step. To add a rule, add an entry: its name, and a function for each
 * moment at which it is judged. The function returns what is wrong, or "unjudged" if the rule says
 * nothing about the case.
 */
import type { Answer, Probe } from "./answers.ts";
import { unfilled } from "./answers.ts";
import type { Followed, Given, Rule } from "./judge.ts";
import type { ApiState } from "./oracle.ts";
import type { World } from "./world.ts";

const words = ({ scheme, host, target }: Probe): string => `${scheme}://${host}${target}`;
const same = (one: Answer, other: Answer): boolean =>
  one.way === other.way && one.endpoints.join() === other.endpoints.join() && one.certificate === other.certificate;

/** Returns the state with this way, among the states and what the replica has seen of them. */
function wayAmong(
  { world, followed, states, probe, answer }: Given,
  wanted = (_: ApiState) => true,
): ApiState | undefined {
  // A former form may belong to a state in which its Service had endpoints. And a host that moves
  // to a listener stays where it was until nothing needs it; new workers may lack its text.
  const isNobody = answer.way.startsWith("500: the text lacks");
  const isLike = ({ way, place }: Answer) =>
    way === answer.way ||
    (answer.isFormer === true && place === answer.place && / \| 50[03] /.test(answer.way)) ||
    (isNobody && way.includes("| nobody |"));
  const has = (state: ApiState) => wanted(state) && isLike(state.answer(probe));
  const found = states.toReversed().find(has);
  if (found !== undefined) return found;
  return world.judge.mixes(followed, states).find(has);
}

function shown({ world, followed, probe, answer, states }: Given): string {
  const of = ({ way, endpoints, certificate }: Answer) => `"${way}" [${endpoints}] ${certificate.slice(0, 6)}`;
  const may = [...new Set(states.map((state) => of(state.answer(probe))))];
  const isTroubled = followed.troubledUntil >= world.time.now;
  return `${isTroubled ? "in trouble, " : ""}${followed.replica.name} answers ${words(probe)} with ${of(answer)}, and may only with ${may.join(" or ")}`;
}

/** Whether the replica gets requests, and no fault or its aftermath excuses older answers. */
const isQuiet = ({ world, followed, isReady }: Given): boolean => isReady && world.time.now > followed.troubledUntil;

export const rules: readonly Rule[] = [
  {
    name: "no path that asks for a login, a certificate or an address is open",
    answer(given) {
      const { states, probe, answer } = given;
      if (!states.every((state) => state.answer(probe).guards !== "")) return "unjudged";
      return answer.isProxied && answer.guards === "" ? shown(given) : undefined;
    },
  },
  {
    name: "no host is served another tenant's backend",
    answer(given) {
      const { world, probe, answer } = given;
      if (answer.tenants.length === 0) return "unjudged";
      const isAllowed = (tenant: string) => tenantsOf(world, probe).has(tenant);
      return answer.tenants.every(isAllowed) || wayAmong(given) !== undefined ? undefined : shown(given);
    },
  },
  {
    name: "each answer is that of a state of the last 5 s",
    answer(given) {
      const { states, probe, answer } = given;
      if (!isQuiet(given)) return "unjudged";
      if (answer.way === states.at(-1)!.answer(probe).way) return undefined;
      return wayAmong(given) === undefined ? shown(given) : undefined;
    },
  },
  {
    name: "each certificate is that of a state of the last 5 s",
    answer(given) {
      const { followed, states, probe, answer } = given;
      if (!isQuiet(given) || answer.certificate === "" || answer === unfilled) return "unjudged";
      const known = states.map((state) => state.answer(probe).certificate);
      return known.includes(answer.certificate)
        ? undefined
        : `${followed.replica.name} shows another at ${words(probe)}`;
    },
  },
  {
    name: "no request goes to an endpoint that has been gone for longer",
    answer(given) {
      const { states, probe, answer, world, followed } = given;
      if (!isQuiet(given) || answer.endpoints.length === 0) return "unjudged";
      if (same(answer, states.at(-1)!.answer(probe))) return undefined;
      const known = new Set(states.flatMap((state) => state.answer(probe).endpoints));
      if (answer.endpoints.every((one) => known.has(one))) return undefined;
      for (const state of world.judge.mixes(followed, states))
        for (const one of state.answer(probe).endpoints) known.add(one);
      return answer.endpoints.every((one) => known.has(one)) ? undefined : shown(given);
    },
  },
  {
    name: "a crash loses nothing that was live",
    started(world, { replica, forgivenUntil, unsyncedSince }) {
      if (world.time.now < forgivenUntil) return "unjudged";
      const loaded = replica.nginx.generations.at(-1)!.memory.records;
      for (const [key, all] of replica.nginx.published) {
        const kept = all.findLastIndex(({ at }) => at < unsyncedSince);
        const found = all.findLastIndex(({ value }) => value === loaded.get(key));
        // A value that was never published is newer: it was written to the disk first.
        const isLost = loaded.size === 0 || (found >= 0 && found < kept);
        if (kept >= 0 && isLost) return `${replica.name} starts with an older value of ${key}`;
      }
      return undefined;
    },
  },
  {
    name: "a replica is ready only when nginx serves what the lists say",
    ready(world, followed) {
      const { program } = followed.replica;
      if (program === undefined || followed.replica.nginx.accepting.length === 0) return "unjudged";
      const states = world.oracle.from(program.startedAt);
      const couldList = world.judge.apiWasThere(followed, program.startedAt);
      return couldList ? firstWrong(world, followed, states) : "unjudged";
    },
  },
  {
    name: "no status is ahead of nginx",
    write(world, { writer, kind, key, subresource, object }) {
      if (kind !== "HTTPRoute" || subresource !== "status") return "unjudged";
      const followed = world.judge.followed.find(({ replica }) => replica.name === writer)!;
      const claimed = acceptedGeneration(object);
      if (claimed === undefined || followed.replica.nginx.accepting.length === 0) return "unjudged";
      const isNew = ({ snapshot }: ApiState) =>
        (snapshot.httpRoutes.get(key)?.metadata.generation ?? claimed) >= claimed;
      const states = world.judge.statesOf(followed);
      const hostnames = (object as { spec?: { hostnames?: readonly string[] } }).spec?.hostnames ?? [];
      for (const generation of followed.replica.nginx.accepting)
        for (const [probe, answer] of world.judge.answers(followed, generation)) {
          if (!hostnames.includes(probe.host.replace("any.", "*.")) || world.doubtful.has(probe.host)) continue;
          const given = { world, followed, generation, probe, answer, states, isReady: true };
          if (wayAmong(given, isNew) === undefined) return `generation ${claimed} of ${key}: ${shown(given)}`;
        }
      return undefined;
    },
  },
  {
    name: "only the leader's writes take effect",
    write(world, { writer, kind, subresource }) {
      if (subresource !== "status" || world.time.now - world.judge.leaseTakenAt < 30_000) return "unjudged";
      const [lease] = world.server.all("Lease") as readonly { readonly spec?: { readonly holderIdentity?: string } }[];
      const holder = lease?.spec?.holderIdentity ?? "nobody";
      return holder === writer ? undefined : `${writer} writes the status of a ${kind}, and ${holder} has the Lease`;
    },
  },
  {
    name: "no program ends by itself",
    end: () => undefined,
  },
  {
    name: "in the end all replicas serve the newest state",
    end(world) {
      for (const followed of world.judge.followed) {
        if (followed.replica.program === undefined) return `${followed.replica.name} does not run`;
        if (followed.ready !== followed.replica.program) return `${followed.replica.name} is not ready`;
        const wrong = firstWrong(world, followed, [world.oracle.newest]);
        if (wrong !== undefined) return wrong;
      }
      return undefined;
    },
  },
  {
    name: "in the end the statuses say what nginx serves",
    end(world) {
      if (world.time.now - world.judge.leaseTakenAt < 90_000) return "unjudged";
      for (const route of world.server.all("HTTPRoute")) {
        const { generation } = route.metadata;
        const { parents = [] } = (route.status ?? {}) as Status;
        const all = parents.flatMap(({ conditions = [] }) => conditions);
        const isRight = all.length > 0 && all.every(({ observedGeneration }) => observedGeneration === generation);
        if (!isRight && world.server.hasDefinitions)
          return `HTTPRoute ${route.metadata.name} has generation ${generation}, and ${JSON.stringify(all)}`;
      }
      return undefined;
    },
  },
  {
    name: "memory does not grow with history",
    rest(world) {
      for (const { replica } of world.judge.followed)
        for (const { memory } of replica.nginx.generations) {
          const left = [...memory.records.keys()].filter((key) =>
            /^(host (?!_$)|upstream (?!default$)|before )/.test(key),
          );
          if (left.length > 0) return `${replica.name} keeps ${left.join(", ")}`;
        }
      return undefined;
    },
  },
];

interface Status {
  readonly parents?: readonly {
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly observedGeneration?: number;
    }[];
  }[];
}

/** Returns the generation of which the status says that its requests are answered. */
function acceptedGeneration({ status }: { readonly status?: unknown }): number | undefined {
  const conditions = ((status ?? {}) as Status).parents?.flatMap((one) => one.conditions ?? []) ?? [];
  return conditions.find(({ type, status: is }) => type === "Accepted" && is === "True")?.observedGeneration;
}

function firstWrong(world: World, followed: Followed, states: readonly ApiState[]): string | undefined {
  for (const generation of followed.replica.nginx.accepting)
    for (const [probe, answer] of world.judge.answers(followed, generation)) {
      if (world.doubtful.has(probe.host)) continue;
      const given = { world, followed, generation, probe, answer, states, isReady: true };
      if (wayAmong(given) === undefined) return shown(given);
    }
  return undefined;
}

/** The tenants that have ever owned a request. */
const known = new WeakMap<World, Map<string, { tenants: Set<string>; until: number }>>();
function tenantsOf(world: World, probe: Probe): ReadonlySet<string> {
  const ofWorld = known.get(world) ?? new Map<string, { tenants: Set<string>; until: number }>();
  known.set(world, ofWorld);
  const found = ofWorld.get(words(probe)) ?? { tenants: new Set<string>(), until: 0 };
  ofWorld.set(words(probe), found);
  for (const state of world.oracle.from(found.until))
    for (const one of state.answer(probe).tenants) found.tenants.add(one);
  found.until = world.oracle.newest.since;
  return found.tenants;
}
