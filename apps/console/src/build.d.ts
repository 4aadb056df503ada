declare const BUILD_VERSION: string;

declare module "*.json?entrance" {
  const texts: Record<string, string>;
  export default texts;
}

declare module "*.json?screens" {
  const texts: Record<string, string>;
  export default texts;
}

declare module "*.json?far" {
  const texts: Record<string, string>;
  export default texts;
}
