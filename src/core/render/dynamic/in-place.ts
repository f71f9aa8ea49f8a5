/**
 * Chooses the shape whose text `location /` of a server has as well. A request for it needs no jump
 * inside nginx. The router still jumps for requests with a body, because nginx limits no bodies in
 * `location /`, and for answers that the text in place leaves out.
 */

import type { Settings } from "../../settings/registry.ts";
import type { Machine } from "../../tokens/machine.ts";
import { Token } from "../../tokens/token.ts";
import type { Shape } from "./shape.ts";

export interface InPlace {
  /** The name of the shape. */
  readonly name: string;
  readonly text: Token;
  /** Whether it takes requests with a body as well, because the shape itself limits none. */
  readonly takesBodies: boolean;
}

interface About {
  readonly settings: Settings;
  readonly machine: Machine;
}

const unlimited = "client_max_body_size 0;";
const streaming = "proxy_request_buffering off;";
/** Lines that mean the same in `location /` and in a named location. */
const sameLine = /^(if \(\$\w+\) \{ return [^{}]+; \}|proxy_pass http:\/\/\w+;|proxy_redirect default;|)$/;
/** Answers of requests that are not usual to the router (nginx/lua/sluice/route.lua). */
const answers = /^if \(\$route_(too_large|slash|unserved)\) /;

/**
 * Returns the shape of routes without annotations; undefined if a line of the settings may mean
 * something else in `location /`. The choice depends on the settings and the shapes alone, so that
 * an equal set of shapes gives an equal text.
 */
export function inPlaceOf(about: About, shapes: readonly Shape[]): InPlace | undefined {
  if (dependsOnLocation(about)) return undefined;
  const fits = shapes.filter(({ plain, text }) => plain && linesOf(text).every(isSame));
  // A shorter text lacks the redirect to https, as the one for paths of ACME challenges does.
  const [longest] = fits.sort((a, b) => String(b.text).length - String(a.text).length || (a.name < b.name ? -1 : 1));
  if (longest === undefined) return undefined;
  const { name, text } = longest;
  const isAnswer = (line: string) => answers.test(line);
  return { name, text: Token.withoutLines(text, isAnswer), takesBodies: linesOf(text).includes(unlimited) };
}

const linesOf = (text: Token) =>
  String(text)
    .split("\n")
    .map((one) => one.trim());

const isSame = (line: string) => line === unlimited || line === streaming || sameLine.test(line);

/**
 * With ModSecurity, requests pass its rules in the location where they end, and `location /` has
 * them off. An error page of a snippet would be tried again and again there, because the jump of
 * the router wants recursive_error_pages.
 */
function dependsOnLocation({ settings, machine }: About): boolean {
  const { enableModsecurity, httpSnippet, serverSnippet } = settings;
  const hasErrorPage = /\b(error_page|include)\b/.test(httpSnippet + serverSnippet);
  return hasErrorPage || (enableModsecurity && machine.capabilities.modsecurity);
}
