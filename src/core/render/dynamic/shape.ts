/**
 * The text of a Location without its host, path and backend. Equal text is one Shape, however many
 * owners use it. Its name is a keyed hash of its text. So a name never gets another meaning (trap
 * 1), and no tenant can guess it.
 */

import {
  defaultUpstream,
  defaultUpstreamLabel,
  type Location,
  type Server,
  type WeightedBackend,
} from "../../model/configuration.ts";
import { forRoute, neighboursOf, ownTextOf } from "../../policies/hooks.ts";
import { unannotated } from "../../policies/read.ts";
import type { FeatureValues } from "../../policies/registry.ts";
import { needsPath } from "../../policies/snippets.ts";
import { routeSettings } from "../../settings/for-routes.ts";
import type { Settings } from "../../settings/registry.ts";
import type { Machine } from "../../tokens/machine.ts";
import type { ErrorBackend, Place } from "../../tokens/place.ts";
import { poolOf } from "../../tokens/pools.ts";
import { Token } from "../../tokens/token.ts";
import { InternalNames } from "../conf/internal-names.ts";
import { balancedBlock, limitedBlock, timedBlock } from "../conf/upstream-views.ts";
import { routeTraitsOf } from "../gateway/traits.ts";
import { type LocationText, LocationTexts, type LocationTraits, traitsOf } from "../location/text.ts";
import type { Template } from "../template.ts";

export interface Shape extends LocationText {
  /** `@` and 16 hex digits. */
  readonly name: string;
  /** The values of its route variables, by name without `route_`. */
  readonly variables: Readonly<Record<string, string>>;
  /** Whether it is for routes without annotations. */
  readonly plain: boolean;
  /** Whether nginx accepts its text only in a location with a path. */
  readonly needsPath: boolean;
  /** The shapes of neighbouring values, which a text has as well; absent if there are none. */
  readonly near?: () => readonly Shape[];
}

/** Returns a Server by its `serverKey`; undefined if its Locations are no data. */
export type ServerLookup = (key: string) => Server<FeatureValues> | undefined;

/** Caches the Shape of each value of features, which many Locations share. */
export class Shapes {
  readonly #settings: Settings;
  readonly #texts: LocationTexts;
  readonly #names: InternalNames;
  readonly #known = new WeakMap<FeatureValues, Map<string, Shape>>();
  /** A Location belongs to one host, so its Shape does not change while it exists. */
  readonly #ofLocations = new WeakMap<Location<FeatureValues>, Shape>();

  /** `behind` has the same meaning as in LocationTexts. */
  constructor(template: Template, settings: Settings, machine: Machine, behind?: boolean) {
    this.#settings = settings;
    this.#texts = new LocationTexts(template, settings, machine, behind);
    this.#names = new InternalNames(machine.nameKey);
  }

  /**
   * Returns all shapes that may serve the Locations to which the routes of a Server lead, each
   * once. `find` returns the other Servers that have some of these.
   */
  ofServer(server: Server<FeatureValues>, find: ServerLookup = () => undefined): readonly Shape[] {
    const shapes: Shape[] = [];
    for (const { of } of server.routes) {
      const other = of && find(of.host);
      if (other !== undefined) shapes.push(...this.#ofLocation(other.locations[of!.location]!, other));
    }
    for (const location of server.locations) shapes.push(...this.#ofLocation(location, server));
    // The renderer keeps it, and a list that grew keeps room for sixteen more.
    return shapes.length < 2 ? shapes.slice() : [...new Set(shapes)];
  }

  /** Returns the names of the shapes that may serve one Location. */
  namesOf(location: Location<FeatureValues>, server: Server<FeatureValues>): readonly string[] {
    return this.#ofLocation(location, server).map(({ name }) => name);
  }

  #ofLocation(location: Location<FeatureValues>, { listener, features }: Server<FeatureValues>): readonly Shape[] {
    const { backends, standIn } = location;
    if (listener === undefined) {
      const own = this.of(location, features);
      return standIn === undefined ? [own] : [own, this.standInOf(location, features)];
    }
    const own = backends.map((backend) => this.ofBackend(location, backend, features));
    return standIn === undefined ? own : [...own, this.standInOfRoute(location, backends[0]!, features)];
  }

  /** Returns the Shape of a Location. `host` has the settings of the host as a whole. */
  of(location: Location<FeatureValues>, host: FeatureValues): Shape {
    const known = this.#ofLocations.get(location);
    if (known !== undefined) return known;
    const shape = this.#shapeOf(location.features, traitsOf(location, host, this.#settings));
    this.#ofLocations.set(location, shape);
    return shape;
  }

  /** Returns the Shape for requests of a route that go to one of its backends. */
  ofBackend(location: Location<FeatureValues>, backend: WeightedBackend, host: FeatureValues): Shape {
    return this.#shapeOf(location.features, routeTraitsOf(location, backend, host, this.#settings));
  }

  /** Returns the Shape for the Service that answers if the Location's own has no endpoints. */
  standInOf(location: Location<FeatureValues>, host: FeatureValues): Shape {
    return this.#shapeOf(location.features, { ...traitsOf(location, host, this.#settings), standsIn: true });
  }

  /** Does the same as `standInOf`, for a route and one of its backends. */
  standInOfRoute(location: Location<FeatureValues>, backend: WeightedBackend, host: FeatureValues): Shape {
    const { tls: _, ...traits } = routeTraitsOf(location, backend, host, this.#settings);
    return this.#shapeOf(location.features, { ...traits, scheme: "HTTP", standsIn: true });
  }

  #shapeOf(values: FeatureValues, traits: LocationTraits): Shape {
    let known = this.#known.get(values);
    if (known === undefined) {
      known = new Map();
      this.#known.set(values, known);
    }
    const key = JSON.stringify(traits.tls === undefined ? traits : { ...traits, tls: traits.tls.id });
    let shape = known.get(key);
    if (shape === undefined) {
      shape = { ...this.#render(values, traits), ...this.#nearOf(values, traits) };
      known.set(key, shape);
    }
    return shape;
  }

  /**
   * Returns neighbouring shapes, only for open Locations with annotations. A route's protocol comes
   * from its backends, and a snippet may rely on one protocol or set a size itself.
   */
  #nearOf(values: FeatureValues, traits: LocationTraits): Pick<Shape, "near"> {
    const { route, denied, standsIn, scheme } = traits;
    if (route !== undefined || denied || standsIn || ownTextOf(values, "location") !== "") return {};
    const near = neighboursOf(values, this.#settings);
    if (near.length === 0) return {};
    const isOwnScheme = scheme === values.backendProtocol.scheme;
    let shapes: readonly Shape[] | undefined;
    return {
      near: () => {
        shapes ??= near.map((one) =>
          this.#shapeOf(one, { ...traits, scheme: isOwnScheme ? one.backendProtocol.scheme : scheme }),
        );
        return shapes;
      },
    };
  }

  #render(values: FeatureValues, traits: LocationTraits): Shape {
    const variables: Record<string, string> = {};
    const bind: Place["bind"] = (name, raw) => {
      variables[name] = raw;
      return Token.variable(`route_${name}`);
    };
    const captured = () => Token.variable("forwarded_prefix");
    const isLimited = traits.route?.drawsByRoute === true;
    const blocks = [isLimited ? limitedBlock : balancedBlock];
    const timedBlocks = [isLimited ? limitedBlock : timedBlock];
    const target = { dynamic: true, unserved: false, rewrite: false, blocks, timedBlocks };
    const found = this.#texts.of(forRoute(values, traits.route), traits, { bind, captured, errorBackend }, target);
    const texts = [found.text, ...found.beside.map((one) => one.text), ...found.http];
    const name = `@${this.#names.of(texts.map((text) => `${text}\0`).join(""))}`;
    const plain = values === unannotated(traits.route === undefined ? this.#settings : routeSettings(this.#settings));
    return { name, variables, plain, needsPath: !traits.standsIn && !traits.denied && needsPath(values), ...found };
  }
}

/** Returns the backend for errors, which variables of the router name. */
function errorBackend(own: boolean): ErrorBackend {
  return {
    pass: poolOf("HTTP", [balancedBlock], "").pass,
    sets: [
      ["s_to", own ? Token.variable("route_error_upstream") : Token.name(defaultUpstream)],
      ["proxy_upstream_name", own ? Token.variable("route_error_name") : Token.name(defaultUpstreamLabel)],
      ["route_sticky", Token.text("")],
    ],
  };
}
