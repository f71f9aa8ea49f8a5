import type { Place } from "../place.ts";

export interface Mistake {
  readonly place: Place;
  readonly why: string;
}
