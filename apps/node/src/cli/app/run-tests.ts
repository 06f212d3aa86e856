/** Runs an application's tests with Node's own runner, each file in a process of its own. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import type { Terminal } from '@slipstream/command-line';

interface TestCounts {
  readonly files: number;
  readonly passed: number;
  readonly failed: number;
}

/** Also of runs whose counts Node reports while files still run. */
interface Summary {
  readonly file?: string | undefined;
  readonly success: boolean;
  readonly counts: { readonly passed: number; readonly tests: number; readonly skipped: number; readonly todo: number };
}

/** The `*.test.ts` files of the folder, sorted; absolute. */
export async function testFilesIn(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder);
  return names
    .filter((name) => name.endsWith('.test.ts'))
    .sort()
    .map((name) => join(folder, name));
}

/** `report` gets lines for people. A signal ends the run, and counts as a failure. */
export async function runTests(
  files: readonly string[],
  { onSignals }: Pick<Terminal, 'onSignals'>,
  report: (lines: string) => void,
): Promise<TestCounts> {
  const stop = new AbortController();
  const release = onSignals(() => stop.abort());
  let last: Summary | undefined;
  try {
    const events = run({ files: [...files], concurrency: true, signal: stop.signal });
    events.on('test:summary', (summary: Summary) => {
      if (summary.file === undefined) last = summary;
    });
    for await (const text of events.compose(spec)) report(String(text).trimEnd());
  } finally {
    release();
  }
  const { passed, tests, skipped, todo } = last?.counts ?? { passed: 0, tests: 0, skipped: 0, todo: 0 };
  const failed = Math.max(tests - passed - skipped - todo, last?.success === true ? 0 : 1);
  return { files: files.length, passed, failed };
}
