/** What a route asks of the text of its Location; its values are data. */
export type RouteTraits = Readonly<Record<string, never>>;
