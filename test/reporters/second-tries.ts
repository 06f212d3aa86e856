/**
 * Tells which tests passed on a second try only. Tests of real processes may be repeated once (vitest.config.ts), because a busy
 * machine starves them; each such test is a question to look into, so none passes silently.
 */
import { relative } from 'node:path';
import type { Reporter, TestCase } from 'vitest/node';

export default class SecondTries implements Reporter {
  readonly #names: string[] = [];

  onTestCaseResult(test: TestCase): void {
    const retries = test.diagnostic()?.retryCount ?? 0;
    if (retries === 0 || test.result().state !== 'passed') return;
    this.#names.push(`${relative(process.cwd(), test.module.moduleId)} > ${test.fullName}`);
  }

  onTestRunEnd(): void {
    process.stdout.write(`${this.#names.length} passed on a second try\n`);
    for (const name of this.#names) process.stdout.write(`  second try: ${name}\n`);
  }
}
