// The parts of Node that the tests use.
declare module "node:test" {
  export function test(name: string, run: () => void | Promise<void>): void;
}

declare module "node:assert/strict" {
  const assert: {
    (value: unknown, message?: string): void;
    equal(actual: unknown, expected: unknown, message?: string): void;
    deepEqual(actual: unknown, expected: unknown, message?: string): void;
    notEqual(actual: unknown, expected: unknown, message?: string): void;
    throws(run: () => unknown, error?: object): void;
    rejects(promise: Promise<unknown>, error?: object): Promise<void>;
  };
  export default assert;
}
