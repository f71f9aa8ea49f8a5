/** Handlebars' builds for browsers have the same types as the package. */
declare module "handlebars/dist/handlebars.js" {
  export { default } from "handlebars";
}
