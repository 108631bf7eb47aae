// The little of Node.js that these tests use, so that its types need no package.
declare module "node:test" {
  export function test(name: string, body: () => void | Promise<void>): void;
}
declare module "node:assert/strict" {
  interface Assert {
    (value: unknown, message?: string): asserts value;
    equal(actual: unknown, expected: unknown, message?: string): void;
    notEqual(actual: unknown, expected: unknown, message?: string): void;
    deepEqual(actual: unknown, expected: unknown, message?: string): void;
    throws(body: () => unknown, expected?: RegExp): void;
    rejects(promise: Promise<unknown>, expected?: Function): Promise<void>;
    match(text: string, pattern: RegExp, message?: string): void;
  }
  const assert: Assert;
  export default assert;
}
declare module "node:fs" {
  export function readdirSync(path: URL): string[];
  export function readFileSync(path: URL, encoding: "utf-8"): string;
}
