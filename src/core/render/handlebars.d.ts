/** Handlebars' builds for browsers have the same types as the package. */
declare module "handlebars/dist/handlebars.js" {
  export { default } from "handlebars";
}
declare module "handlebars/dist/handlebars.runtime.js" {
  export { default } from "handlebars";
}
