/** The builds of Handlebars for browsers have the types of the package. */
declare module "handlebars/dist/handlebars.js" {
  export { default } from "handlebars";
}
