/**
 * Kinds for names of headers, other objects, media types and files, and plain words for directives
 * that take several.
 */
import { Token } from "../tokens/token.ts";
import { type Kind, no, ok, shown } from "./kind.ts";

interface Shape {
  readonly label: string;
  readonly shape: RegExp;
  readonly view?: (value: string) => Token;
  readonly longest?: number;
}

/** Reads text of the given shape; `label` follows "is not". */
export function shaped({ label, shape, view = Token.word, longest }: Shape): Kind<string> {
  return {
    label,
    ...(longest === undefined ? {} : { longest }),
    read: (text) => (shape.test(text) && Token.printable(text) ? ok(text) : no(`${shown(text)} is not ${label}`)),
    view,
  };
}

export const headerName = shaped({
  label: "a header name of letters, digits, - and _",
  shape: /^[\w-]{1,256}$/,
  view: Token.name,
});

/** The name of an object of the cluster, `namespace/name`. */
export const reference = shaped({
  label: "namespace/name",
  shape: /^[a-z\d]([a-z\d.-]{0,61}[a-z\d])?\/[a-z\d]([a-z\d.-]{0,251}[a-z\d])?$/,
});

export const mediaType = shaped({
  label: "a media type like text/html",
  shape: /^[\w.+-]{1,100}\/[\w.+-]{1,100}$/,
});

/** Media types for gzip and brotli, where `*` stands for all. */
export const mediaTypeOrAll = shaped({
  label: "a media type like text/html, or *",
  shape: /^(\*|[\w.+-]{1,100}\/[\w.+-]{1,100})$/,
});

/** The target of a log. nginx opens the file itself, so the folder must exist. */
export const logTarget = shaped({
  label: "an absolute file name, stderr or a syslog: target",
  shape: /^(\/(?!.*\/\.\.(\/|$))[\w.@+/-]{1,250}|stderr|syslog:server=[\w.:,=[\]/-]{1,200})$/,
});

export const fileName = shaped({
  label: "an absolute file name",
  shape: /^\/(?!.*\/\.\.(\/|$))[\w.@+/-]{1,250}$/,
});

/** Any text on one line, used as it is. */
export const line = shaped({
  label: "text on one line",
  shape: /^.{1,4096}$/u,
});
