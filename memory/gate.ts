/** Lets many ordinary writes pass at the same time, or one movement between the tiers alone. In order of arrival, so
 * that neither kind starves. */
export class Gate {
  #tail: Promise<unknown> = Promise.resolve();
  #passing = new Set<Promise<unknown>>();

  /** Runs beside other shared work, never beside an exclusive one. */
  async shared<T>(work: () => Promise<T> | T): Promise<T> {
    await this.#tail;
    const running = (async () => await work())();
    const settled = running.then(() => {}, () => {});
    this.#passing.add(settled);
    void settled.then(() => this.#passing.delete(settled));
    return await running;
  }

  /** Runs alone: after everything that came before, before everything that comes later. */
  exclusive<T>(work: () => Promise<T> | T): Promise<T> {
    const before = this.#tail;
    const run = (async () => {
      await before;
      await Promise.all(this.#passing);
      return await work();
    })();
    this.#tail = run.then(() => {}, () => {});
    return run;
  }
}
