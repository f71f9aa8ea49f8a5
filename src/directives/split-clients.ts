/**
 * `split_clients` of nginx counts in hundredths of a percent, so it draws a smaller share than this
 * never.
 */
export const smallestShare = 0.5 / 10_000;
