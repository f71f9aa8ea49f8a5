/**
 * More than the patterns of a request may cost, in steps: twice the budget of
 * nginx/lua/sluice/regex.lua, because compiling is charged after it is done.
 */
export const mostSteps = 2 ** 26;
