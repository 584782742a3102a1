/** Waits until `test` answers something true, and answers that.
 * @throws {Error} saying `what`, after `timeout` milliseconds */
export async function until<T>(
  what: string | (() => string),
  test: () => T | Promise<T>,
  timeout = 20_000,
): Promise<Exclude<T, false | null | undefined>> {
  const end = performance.now() + timeout;
  for (;;) {
    const value = await test();
    if (value) return value as Exclude<T, false | null | undefined>;
    if (performance.now() > end) throw new Error(`Gave up waiting: ${typeof what === "string" ? what : what()}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
