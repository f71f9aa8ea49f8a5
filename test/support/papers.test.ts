/**
 * Checks the papers in docs/ingress-nginx: everything that a comment, a test or a page cites from
 * them exists, and nothing in the repository cites a paper outside the repository.
 */
import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { caseNames } from "../parity/case.ts";

const root = join(import.meta.dirname, "../..");
const texts = new Map<string, string>();

function read(path: string): string {
  const text = texts.get(path) ?? readFileSync(join(root, path), "utf8");
  texts.set(path, text);
  return text;
}

const papers = globSync("docs/ingress-nginx/*.md", { cwd: root }).toSorted();
const rooms = "{src,nginx,templates,test,charts,docs,scripts,image,examples}";
const kinds = "{ts,mjs,js,lua,tmpl,tpl,yaml,json,md,sh,conf}";
/** This page contains the forms of citations, but no citation. */
const own = "test/support/papers.test.ts";
const files = [...globSync([`${rooms}/**/*.${kinds}`, "*.md"], { cwd: root })].filter((path) => path !== own);

interface Citation {
  readonly file: string;
  readonly name: string;
}

/** Each number that a page declares in bold at the start of a paragraph, `**RS-3.5** ...`. */
function declared(pattern: RegExp): readonly string[] {
  return papers.flatMap((page) => [...read(page).matchAll(pattern)].map(([, name]) => name!));
}

/**
 * Returns the citations in the files: `name` turns each match of `pattern` into the name of the
 * cited item.
 */
function cited(pattern: RegExp, name: (match: RegExpMatchArray) => readonly string[]): readonly Citation[] {
  return files.flatMap((file) =>
    [...read(file).matchAll(pattern)].flatMap((match) => name(match).map((one) => ({ file, name: one }))),
  );
}

const missing = (citations: readonly Citation[], known: ReadonlySet<string>) =>
  citations.filter(({ name }) => !known.has(name)).map(({ file, name }) => `${file}: ${name}`);
const twice = (names: readonly string[]) => names.filter((name, i) => names.indexOf(name) !== i);

test("each cited rule of ingress-nginx exists exactly once", () => {
  const rules = declared(/^\*\*(RS-\d+\.\d+)\*\*/gm);
  const groups = declared(/^## (RS-\d+):/gm);
  expect(rules.length).toBeGreaterThan(200);
  expect(twice([...rules, ...groups])).toEqual([]);
  const citations = cited(/\b(RS-\d+(?:\.\d+)?)(?: (?:to|and) (?:RS-)?(\d+\.\d+))?/g, ([, first, last]) =>
    last === undefined ? [first!] : [first!, `RS-${last}`],
  );
  expect(citations.length).toBeGreaterThan(500);
  expect(missing(citations, new Set([...rules, ...groups]))).toEqual([]);
});

test("each cited item of the process contract exists exactly once", () => {
  const items = declared(/^\*\*([A-Q] \d+)\*\*/gm);
  const sections = declared(/^## ([A-Q]):/gm);
  expect(items.length).toBe(101);
  expect(twice([...items, ...sections])).toEqual([]);
  // Citations such as "process contract B 12 and 13" or "process contract A and G".
  const citations = cited(/process contract ([A-Q])( \d+)?(?:\s+(?:to|and) (?:([A-Q])\b)?(\d+)?)?/g, (match) => {
    const [, letter, number, otherLetter, otherNumber] = match;
    const first = `${letter}${number ?? ""}`;
    if (otherLetter !== undefined) return [first, otherLetter];
    return otherNumber === undefined ? [first] : [first, `${letter} ${otherNumber}`];
  });
  expect(citations.length).toBeGreaterThan(10);
  expect(missing(citations, new Set([...items, ...sections]))).toEqual([]);
});

test("each cited trap of nginx exists exactly once", () => {
  const traps = declared(/^\*\*Trap (\d+):/gm);
  expect(twice(traps)).toEqual([]);
  const citations = cited(/\b[Tt]rap (\d+)\b/g, ([, number]) => [number!]);
  expect(citations.length).toBeGreaterThan(10);
  expect(missing(citations, new Set(traps))).toEqual([]);
});

test("each cited case is in the corpus", () => {
  const cases = caseNames();
  const others = globSync("{src/**,templates}/{settings,access,routing}/*", { cwd: root });
  const modules = others.map((path) => path.replace(/^.*\/(\w+\/[^/.]+)(\..*)?$/, "$1"));
  // The name of a folder, a slash, and words with hyphens. An imported path has dots in front.
  const inText = /(?:^|[\s("'`,])((?:routing|access|settings)\/[a-z0-9]+(?:-[a-z0-9]+)+)(?=[\s)"'`,.:;]|$)/gm;
  const citations = cited(inText, ([, name]) => [name!]);
  expect(citations.length).toBeGreaterThan(50);
  expect(missing(citations, new Set([...cases, ...modules]))).toEqual([]);
});

test("no file cites a paper outside the repository", () => {
  const elsewhere =
    /(?:^|[\s("'`])(?:design|rebuild|gateway|house-style|market|attacks|usage|routing-semantics)\.md\b|beside the checkout|\.\.\/shared\/|\bcontract [A-Q] \d/gm;
  const citations = cited(elsewhere, ([found]) => [found]);
  const outside = citations.filter(({ file, name }) => {
    // Links to pages of the same folder and citations such as "process contract C 23" are allowed.
    const neighbour = name.replace(/^[\s("'`]+/, "");
    if (existsSync(join(root, file, "..", neighbour))) return false;
    return !(name.startsWith("contract ") && read(file).includes(`process ${name}`));
  });
  expect(outside.map(({ file, name }) => `${file}: ${name.trim()}`)).toEqual([]);
});

/** Returns the name that GitHub gives to the anchor of a heading. */
function anchorOf(heading: string): string {
  const text = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1").toLowerCase();
  return text.replace(/[^\p{L}\p{N}\s_-]/gu, "").replace(/ /g, "-");
}

function anchorsOf(page: string): ReadonlySet<string> {
  const counts = new Map<string, number>();
  const text = read(page).replace(/^```.*?^```$/gms, "");
  return new Set(
    [...text.matchAll(/^#+ +(.+)$/gm)].map(([, heading]) => {
      const anchor = anchorOf(heading!.trim());
      const before = counts.get(anchor) ?? 0;
      counts.set(anchor, before + 1);
      return before === 0 ? anchor : `${anchor}-${before}`;
    }),
  );
}

test("every link between the pages leads to a file and a heading that exist", () => {
  const pages = globSync(["*.md", "docs/**/*.md", "charts/**/*.md", "examples/**/*.md", "test/parity/**/*.md"], {
    cwd: root,
  });
  const lost = pages.flatMap((page) =>
    [...read(page).matchAll(/\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)\s]+))?\)/g)].flatMap(([, to, anchor]) => {
      const target = to === "" ? page : join(page, "..", to!);
      if (!existsSync(join(root, target))) return [`${page}: ${to}`];
      return anchor === undefined || anchorsOf(target).has(anchor) ? [] : [`${page}: ${to}#${anchor}`];
    }),
  );
  expect(lost).toEqual([]);
});

test("docs/README.md, the index, links to each page", () => {
  const index = read("docs/README.md");
  const pages = globSync("*.md", { cwd: join(root, "docs") }).filter((page) => page !== "README.md");
  const reference = globSync("{guides,reference}/*.md", { cwd: join(root, "docs") });
  const listed = [...pages, ...reference.filter((page) => page !== "guides/README.md")];
  expect(listed.filter((page) => !index.includes(`](${page}`))).toEqual([]);
});
