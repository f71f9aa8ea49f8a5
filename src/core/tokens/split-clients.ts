/**
 * nginx's `split_clients` counts in hundredths of a percent, so a smaller share would never be
 * chosen.
 */
export const smallestShare = 0.5 / 10_000;
