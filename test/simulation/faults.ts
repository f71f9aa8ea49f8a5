/**
 * What goes wrong. To add a fault, add a line to `faults`: its name, how often it is drawn, and a
 * function that begins it, and says by `world.trouble` how long it and its aftermath may last.
 * While that lasts, nginx may answer as it did before; nothing else is excused.
 */
import type { Chance } from "../support/chance.ts";
import type { Meets } from "./api/connection.ts";
import type { Kind } from "./history.ts";
import { isOptional } from "./oracle.ts";
import { folder, type Replica } from "./replica.ts";
import type { World } from "./world.ts";

/**
 * The time after an outage of the API server until all is right again: a watch waits up to 10 s, a
 * single object up to 30 s, and discovery up to 30 s.
 */
const apiAftermathMs = 35_000;
/** A request without an answer is given up after 60 s, and repeated. */
const silentAftermathMs = 100_000;
/** A dead connection is noticed within 42 s; discovery follows. */
const halfOpenMs = 110_000;
/** A text that failed is tried again within 30 s. */
const textAftermathMs = 40_000;
/** A program that starts has listed everything. */
const startMs = 10_000;

/** Makes requests meet this for some time. */
function requestsMeet(
  world: World,
  replica: Replica,
  ms: number,
  meets: Replica["trouble"]["meets"],
  aftermathMs = apiAftermathMs,
): void {
  const { trouble } = replica;
  trouble.meets = meets;
  world.judge.apiTrouble(replica, ms);
  world.trouble(replica, ms + aftermathMs);
  world.time.after(ms, () => {
    if (trouble.meets === meets) trouble.meets = () => ({ kind: "nothing" });
  });
}

/** Returns a fault of some requests to the API server. */
const answers = (name: string, weight: number, meet: (chance: Chance) => Meets): Kind<World> => ({
  name,
  weight,
  run(world, chance) {
    const [share, drawn] = [0.2 + chance.share(), meet(chance)];
    const watchesToo = chance.share() < 0.5;
    const meets: Replica["trouble"]["meets"] = ({ query }) =>
      (watchesToo || query?.watch !== true) && chance.share() < share ? drawn : { kind: "nothing" };
    const isQuiet = drawn.kind === "lost" || drawn.kind === "silent";
    const aftermathMs = isQuiet ? silentAftermathMs : apiAftermathMs;
    requestsMeet(world, chance.oneOf(world.replicas), 500 + chance.below(10_000), meets, aftermathMs);
  },
});

function restartLater(world: World, replica: Replica, ms: number): void {
  world.trouble(replica, ms + startMs);
  world.time.after(ms, () => replica.start());
}

/** The disk is in a state for some time. */
function diskIs(world: World, replica: Replica, ms: number, begin: () => void, end: () => void): void {
  begin();
  world.judge.forgive(replica, ms + textAftermathMs);
  world.trouble(replica, ms + textAftermathMs);
  world.time.after(ms, end);
}

const watchesOf = ({ trouble }: Replica) => [...trouble.watches];

export const faults: readonly Kind<World>[] = [
  {
    name: "the API server is away",
    weight: 2,
    run(world, chance) {
      const ms = chance.oneOf([1_000, 5_000, 20_000, 120_000]);
      for (const replica of chance.share() < 0.5 ? world.replicas : [chance.oneOf(world.replicas)]) {
        for (const watch of watchesOf(replica)) watch.cut();
        requestsMeet(world, replica, ms, () => ({ kind: "refused" }));
      }
    },
  },
  answers("the API server throttles", 1, (chance) => ({
    ...{ kind: "status", code: 429, reason: "TooManyRequests", retryAfter: 1 + chance.below(3) },
  })),
  answers("the API server fails", 1, (chance) => ({
    ...{ kind: "status", code: chance.oneOf([500, 503, 504]), reason: "InternalError" },
  })),
  answers("the API server refuses", 1, () => ({ kind: "status", code: 403, reason: "Forbidden" })),
  answers("answers are no JSON", 1, (chance) => ({ kind: "bytes", text: chance.oneOf(["<html>", "", "{", "null"]) })),
  answers("answers are cut", 1, () => ({ kind: "cut" })),
  answers("answers are lost", 1, () => ({ kind: "lost" })),
  answers("requests get no answer", 1, () => ({ kind: "silent" })),
  {
    name: "connections are half open",
    weight: 2,
    run(world, chance) {
      const replica = chance.oneOf(world.replicas);
      replica.trouble.isHalfOpen = true;
      const ms = chance.below(3_000);
      world.judge.apiTrouble(replica, ms);
      world.trouble(replica, ms + halfOpenMs);
      world.time.after(ms, () => {
        replica.trouble.isHalfOpen = false;
      });
    },
  },
  {
    name: "watches break",
    weight: 2,
    run(world, chance) {
      const replica = chance.oneOf(world.replicas);
      world.trouble(replica, apiAftermathMs);
      for (const watch of watchesOf(replica)) if (chance.share() < 0.5) watch.cut();
    },
  },
  {
    name: "watches bring garbage",
    weight: 2,
    run(world, chance) {
      const replica = chance.oneOf(world.replicas);
      const texts = [
        "<html>",
        '{"type":"ADDED"}',
        '{"type":"MODIFIED","object":',
        '{"type":"ODD","object":{}}',
        "\0\0",
      ];
      world.trouble(replica, apiAftermathMs);
      for (const watch of watchesOf(replica)) if (chance.share() < 0.3) watch.garbage(chance.oneOf(texts));
    },
  },
  {
    name: "watches repeat events",
    weight: 2,
    run(world, chance) {
      for (const watch of watchesOf(chance.oneOf(world.replicas))) watch.repeat();
    },
  },
  {
    name: "the history is forgotten",
    weight: 2,
    run(world, chance) {
      world.server.compact();
      for (const replica of world.replicas) {
        world.trouble(replica, apiAftermathMs);
        for (const watch of watchesOf(replica)) if (chance.share() < 0.5) watch.expire();
      }
    },
  },
  {
    name: "the network is slow",
    weight: 1,
    run(world, chance) {
      const replica = chance.oneOf(world.replicas);
      const ms = 1_000 + chance.below(10_000);
      replica.trouble.slowMs = chance.oneOf([300, 2_000, 6_000]);
      world.judge.apiTrouble(replica, ms);
      world.trouble(replica, ms + replica.trouble.slowMs * 6 + apiAftermathMs);
      world.time.after(ms, () => {
        replica.trouble.slowMs = 0;
      });
    },
  },
  {
    name: "definitions go and come",
    weight: 1,
    run(world, chance) {
      if (!world.server.hasDefinitions) return false;
      const ms = chance.oneOf([500, 5_000, 60_000]);
      const set = (has: boolean) => {
        world.server.hasDefinitions = has;
        world.oracle.definitions();
        for (const replica of world.replicas)
          for (const watch of watchesOf(replica)) if (isOptional(watch.kind)) watch.cut();
        for (const replica of world.replicas) world.trouble(replica, halfOpenMs);
      };
      set(false);
      world.time.after(ms, () => set(true));
      return undefined;
    },
  },
  {
    name: "a controller is killed",
    weight: 3,
    run(world, chance) {
      const replica = chance.oneOf(world.replicas);
      replica.kill("a fault");
      restartLater(world, replica, chance.below(5_000));
    },
  },
  {
    name: "a controller is killed between two effects",
    weight: 4,
    run(world, chance) {
      const replica = chance.oneOf(world.replicas);
      replica.killAfter = 1 + chance.below(12);
      const look = () => {
        if (replica.program === undefined) restartLater(world, replica, chance.below(2_000));
        else if (replica.killAfter < Number.POSITIVE_INFINITY) world.time.after(20, look);
      };
      world.time.after(20, look);
    },
  },
  {
    name: "the power fails",
    weight: 2,
    run(world, chance) {
      const replica = chance.oneOf(world.replicas);
      replica.losesPower = true;
      world.judge.forgiveUnsynced(replica);
      replica.kill("the power fails");
      restartLater(world, replica, chance.below(5_000));
    },
  },
  {
    name: "a controller ends and starts again",
    weight: 2,
    run(world, chance) {
      const replica = chance.oneOf(world.replicas);
      if (replica.program === undefined) return false;
      world.trouble(replica, 30_000);
      replica.stop().then(() => restartLater(world, replica, chance.below(3_000)));
      return undefined;
    },
  },
  {
    name: "nginx is killed",
    weight: 3,
    run(world, chance) {
      const replica = chance.oneOf(world.replicas);
      world.trouble(replica, startMs);
      replica.nginx.kill();
    },
  },
  {
    name: "nginx hangs",
    weight: 1,
    run(world, chance) {
      const replica = chance.oneOf(world.replicas);
      const ms = chance.below(15_000);
      replica.nginx.isHung = true;
      world.trouble(replica, ms + 25_000);
      world.time.after(ms, () => {
        replica.nginx.isHung = false;
      });
    },
  },
  {
    name: "a reload dies half-way",
    weight: 1,
    run(world, chance) {
      const replica = chance.oneOf(world.replicas);
      replica.nginx.nextReload = "dies";
      world.trouble(replica, startMs);
    },
  },
  {
    name: "a reload hangs",
    weight: 1,
    run(world, chance) {
      const replica = chance.oneOf(world.replicas);
      replica.nginx.nextReload = "hangs";
      const look = () => {
        // It begins when a change needs a reload.
        world.trouble(replica, 60_000 + textAftermathMs);
        if (replica.nginx.nextReload === "hangs" && world.time.now < until) world.time.after(1_000, look);
        else replica.nginx.nextReload = "works";
      };
      const until = world.time.now + 10_000;
      look();
    },
  },
  {
    name: "nginx has no memory for records",
    weight: 1,
    run(world, chance) {
      const replica = chance.oneOf(world.replicas);
      replica.nginx.fullWrites = 1 + chance.below(2);
      world.trouble(replica, textAftermathMs);
    },
  },
  {
    name: "the disk is full",
    weight: 2,
    run(world, chance) {
      const replica = chance.oneOf(world.replicas);
      const { disk } = replica;
      const begin = () => {
        disk.freeBytes = chance.below(400);
      };
      const end = () => {
        disk.freeBytes = Number.POSITIVE_INFINITY;
      };
      diskIs(world, replica, 500 + chance.below(15_000), begin, end);
    },
  },
  {
    name: "the disk is read-only",
    weight: 1,
    run(world, chance) {
      const replica = chance.oneOf(world.replicas);
      const set = (is: boolean) => () => {
        replica.disk.isReadOnly = is;
      };
      diskIs(world, replica, 500 + chance.below(15_000), set(true), set(false));
    },
  },
  {
    name: "the disk is slow",
    weight: 1,
    run(world, chance) {
      const replica = chance.oneOf(world.replicas);
      replica.disk.slowMs = chance.oneOf([50, 400]);
      const ms = 1_000 + chance.below(10_000);
      world.judge.forgive(replica, ms + startMs);
      world.trouble(replica, ms + startMs);
      world.time.after(ms, () => {
        replica.disk.slowMs = 0;
      });
    },
  },
  {
    name: "the journal is damaged",
    weight: 1,
    run(world, chance) {
      const replica = chance.oneOf(world.replicas);
      replica.kill("its disk is changed");
      replica.nginx.kill();
      replica.disk.damage(folder.journal, (bytes) => damaged(bytes, chance));
      world.judge.forgive(replica, startMs * 2);
      restartLater(world, replica, chance.below(2_000));
    },
  },
  {
    name: "another release was here",
    weight: 1,
    run(world, chance) {
      const replica = chance.oneOf(world.replicas);
      replica.kill("it is replaced by another release");
      replica.nginx.kill();
      const other = (bytes: Buffer) =>
        Buffer.from(bytes.toString("latin1").replace(/^sluice-journal \d+/, "sluice-journal 9"), "latin1");
      replica.disk.damage(folder.journal, other);
      world.judge.forgive(replica, startMs * 2);
      restartLater(world, replica, chance.below(2_000));
    },
  },
  {
    name: "the time of day jumps",
    weight: 1,
    run(world, chance) {
      const replica = chance.oneOf(world.replicas);
      replica.skewMs = chance.oneOf([-3_600_000, -20_000, 20_000, 3_600_000]);
      if (replica.program !== undefined) replica.program.clock.skewMs = replica.skewMs;
    },
  },
  {
    name: "somebody takes the Lease away",
    weight: 1,
    run(world, chance) {
      const [lease] = world.server.all("Lease");
      if (lease === undefined) return false;
      if (chance.share() < 0.5) world.server.remove("Lease", `${lease.metadata.namespace}/${lease.metadata.name}`);
      else {
        const { spec } = lease as unknown as { readonly spec: object };
        world.server.put({ ...lease, spec: { ...spec, holderIdentity: "somebody" } } as typeof lease);
      }
      world.judge.leaseTaken();
      return undefined;
    },
  },
  {
    name: "no nameserver answers",
    weight: 1,
    run(world, chance) {
      const ms = 1_000 + chance.below(10_000);
      world.isNamelessUntil = world.time.now + ms;
      for (const replica of world.replicas) world.trouble(replica, ms + 10_000);
    },
  },
];

/** Tears the last line, changes a line in the middle, or takes one away. */
function damaged(bytes: Buffer, chance: Chance): Buffer {
  const lines = bytes.toString("latin1").split("\n");
  const at = Math.min(lines.length - 1, 1 + chance.below(Math.max(1, lines.length - 2)));
  switch (chance.below(3)) {
    case 0:
      return Buffer.from([...lines.slice(0, at), lines[at]!.slice(0, 20)].join("\n"), "latin1");
    case 1:
      lines[at] = lines[at]!.replace(/[a-f]/, "0").replace(/example/, "exbmple");
      return Buffer.from(lines.join("\n"), "latin1");
    default:
      return Buffer.from(lines.toSpliced(at, 1).join("\n"), "latin1");
  }
}
