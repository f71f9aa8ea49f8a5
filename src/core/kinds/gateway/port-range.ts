/** A range of ports: a first and a last one. */
import { Token } from "../../tokens/token.ts";
import { type Kind, no, ok, shown } from "../kind.ts";

export interface PortRange {
  readonly first: number;
  readonly last: number;
}

/** The most ports of a range: the port record has one line for each. */
const mostPorts = 2_000;

export const portRange: Kind<PortRange> = {
  label: `a range of at most ${mostPorts} ports like 20000-20999`,
  read: (text) => {
    const [, first, last] = /^(\d{1,5})-(\d{1,5})$/.exec(text.trim())?.map(Number) ?? [];
    const isRange = first !== undefined && last !== undefined && first >= 1 && first <= last && last <= 65_535;
    if (!isRange) return no(`${shown(text)} is not a range of ports like 20000-20999`);
    if (last - first >= mostPorts) return no(`${shown(text)} has more than ${mostPorts} ports`);
    return ok({ first, last });
  },
  write: ({ first, last }) => `${first}-${last}`,
  view: ({ first, last }) => Token.name(`${first}-${last}`),
};
