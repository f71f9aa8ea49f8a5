/**
 * `split_clients` of nginx counts in hundredths of a percent, so a smaller share would never be
 * drawn.
 */
export const smallestShare = 0.5 / 10_000;
