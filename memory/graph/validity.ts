/** One value of an attribute, as stated: when, and until when if that was said. Milliseconds. */
export interface Statement {
  object: number;
  /** Since when it is true: as said, else when it was learned. */
  from: number;
  learned: number;
  /** The end that was said with it. */
  until?: number;
  /** The run it stands in now. */
  run: string;
}

/** A value's stretch of truth. `until` is absent while it is current. */
export interface Run {
  id: string;
  object: number;
  from: number;
  until?: number;
  /** The end was said, not concluded from a newer value. */
  said?: number;
  statements: Statement[];
}

/** The runs of a single-valued attribute, oldest first: neighbours with the same object are one run, and each run ends
 * where the next begins. The result depends on the set of statements alone, never on the order they came in; of two at
 * the same time the one learned later, then the one with the larger object, is the newer. */
export function runsOfOne(statements: Statement[]): Run[] {
  const runs: Run[] = [];
  for (const statement of [...statements].sort(compareStatements)) {
    const last = runs.at(-1);
    const continues = last?.object === statement.object && (last.said === undefined || last.said >= statement.from);
    if (last && continues) extend(last, statement);
    else runs.push(begin(statement));
  }
  for (const [i, run] of runs.entries()) {
    const next = runs[i + 1];
    close(run, next?.from);
  }
  return named(runs);
}

/** The runs of an attribute whose values stand side by side: one an object, unless the end was said and it began anew. */
export function runsOfMany(statements: Statement[]): Run[] {
  const runs: Run[] = [];
  for (const statement of [...statements].sort(compareStatements)) {
    const open = runs.findLast((run) =>
      run.object === statement.object && (run.said === undefined || run.said >= statement.from)
    );
    if (open) extend(open, statement);
    else runs.push(begin(statement));
  }
  for (const run of runs) close(run, undefined);
  return named(runs);
}

function compareStatements(a: Statement, b: Statement): number {
  return a.from - b.from || a.learned - b.learned || a.object - b.object;
}

function begin(statement: Statement): Run {
  return {
    id: statement.run,
    object: statement.object,
    from: statement.from,
    ...(statement.until !== undefined && { said: statement.until }),
    statements: [statement],
  };
}

function extend(run: Run, statement: Statement): void {
  run.statements.push(statement);
  if (statement.until !== undefined) run.said = Math.min(run.said ?? Infinity, statement.until);
}

function close(run: Run, next: number | undefined): void {
  const until = Math.min(run.said ?? Infinity, next ?? Infinity);
  if (until !== Infinity) run.until = until;
}

/** Each run keeps the id of its first statement that no earlier run has taken; a run without one is new. */
function named(runs: Run[]): Run[] {
  const taken = new Set<string>();
  for (const run of runs) {
    run.id = run.statements.find((statement) => !taken.has(statement.run))?.run ?? "";
    if (run.id !== "") taken.add(run.id);
  }
  return runs;
}
