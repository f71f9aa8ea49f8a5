import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { intruders } from "../support/corpus.ts";
import { settings } from "../support/objects.ts";
import { startWorld, type World } from "../support/world.ts";
import { attacks } from "./rows.ts";

const named = attacks.map((attack, at) => ({ ...attack, name: `bad-${at}` }));
const groups = Map.groupBy(named, (one) => JSON.stringify(one.settings ?? {}));

describe.each(["dynamic", "static"] as const)("%s mode", (mode) => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld({ mode });
  });
  afterAll(() => world.stop());

  describe.each([...groups])("where the operator has set %s", (data, group) => {
    beforeAll(() => world.apply(settings(JSON.parse(data)), ...group.flatMap(({ name, objects }) => objects(name))));
    afterAll(() => world.clear());

    test.each(group.map((one) => [`${one.id}: ${one.title}`, one] as const))(
      "this attack has its Problem and its answers, and nothing else changes: %s",
      async (_title, one) => {
        const { name, says, answers } = one;
        expect.soft(world.problemsOf(name)).toEqual(says.map((text) => text.replace("NAME", name)));
        for (const [path, status] of Object.entries(answers)) {
          const answer = await world.ask(`${name}.example`, path);
          expect.soft([path, answer.status]).toEqual([path, status]);
          if (status === 200) expect.soft(answer.body).toBe("secret");
        }
        expect.soft((await world.ask(`${name}.example`, "/pwned")).body).not.toContain("pwned");
      },
    );

    test("no text of an attack becomes a directive, and the neighbour is served", async () => {
      expect(intruders(world.tree())).toEqual([]);
      expect(await world.ask("neighbour.example")).toMatchObject({ status: 200, body: "secret" });
    });
  });
});
