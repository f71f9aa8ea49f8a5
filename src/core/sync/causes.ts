/**
 * Says which directives of nginx.conf a reload is for, and of which objects: the lines of the new
 * text that the old one does not have, or else the lines that are gone.
 */
import type { OwnersAt, RenderedText } from "../render/rendering.ts";

type Text = Pick<RenderedText, "conf" | "ownersAt">;

/** The most lines whose owners are looked up, and the most characters of a compared text. */
const mostLines = 200;
const longestText = 8 * 1024 * 1024;
const mostListed = 3;

/**
 * Returns, for example, `client_max_body_size of HTTPRoute shop/web and 12 more`; an empty text if
 * the texts differ in nothing that a directive says.
 */
export function causes(live: Text, next: Text): string {
  if (Math.max(live.conf.length, next.conf.length) > longestText) return "";
  const added = ofObjects(missingLines(next.conf, live.conf), next.ownersAt);
  if (added.size > 0) return listed([...added].map(([object, names]) => words(object, names)));
  const gone = ofObjects(missingLines(live.conf, next.conf), live.ownersAt);
  return listed([...gone].map(([object, names]) => `no ${words(object, names)}`));
}

/** Returns the directives that `conf` has and `other` lacks, each with its line. */
function missingLines(conf: string, other: string): readonly (readonly [name: string, line: number])[] {
  const known = new Set(other.split("\n"));
  return conf.split("\n").flatMap((text, at) => {
    // A block's own line only names what is in it.
    const [, name] = known.has(text) ? [] : (/^\s*([\w$][\w.-]*)\s.*;$/.exec(text) ?? []);
    return name === undefined ? [] : [[name, at + 1] as const];
  });
}

/**
 * Returns the directives by their object. Those of no object belong to an empty name: lines that
 * settings cause, and not those that stand ready beside an object's own, such as its doubled size.
 */
function ofObjects(lines: ReturnType<typeof missingLines>, ownersAt: OwnersAt): ReadonlyMap<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  const noted = lines.slice(0, mostLines).map(([name, line]) => ({ name, owners: ownersAt(line) }));
  const owned = new Set(noted.flatMap(({ name, owners }) => (owners.size > 0 ? [name] : [])));
  for (const { name, owners } of noted) {
    const objects = owners.size > 0 ? owners : owned.has(name) ? [] : [""];
    for (const object of objects) found.set(object, (found.get(object) ?? new Set()).add(name));
  }
  return found;
}

function words(object: string, names: ReadonlySet<string>): string {
  return `${listed([...names])}${object === "" ? "" : ` of ${object}`}`;
}

function listed(all: readonly string[]): string {
  const more = all.length - mostListed;
  return `${all.slice(0, mostListed).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
