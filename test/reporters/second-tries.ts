/** Reports tests that passed on a second try only: real processes starve on a busy machine (vitest.config.ts), but none passes silently. */
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
