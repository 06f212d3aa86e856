import { defineCommand, EXIT_FAILED } from '@slipstream/command-line';
import { NodeError } from '../../errors.ts';
import { requireCheckout } from '../application-tools.ts';

export const appTestCommand = defineCommand({
  name: 'app test',
  summary: "Run an application's tests: the files *.test.ts of its folder, with Node's own test runner.",
  details: 'The kit for tests is @slipstream/app-test: testChain and simulate. Exits with 1 when a test fails.',
  positionals: [{ name: 'PATH', about: "the application's .ts file, or its folder" }],
  options: {},
  example: 'slipstream app test tickets',
  async run({ options, arguments: [path = ''], terminal }) {
    requireCheckout('app test');
    const { applicationPlace } = await import('../app/application-folder.ts');
    const { linkKits } = await import('../app/kit-links.ts');
    const { runTests, testFilesIn } = await import('../app/run-tests.ts');
    const { folder } = await applicationPlace(terminal, path);
    const files = await testFilesIn(folder);
    if (files.length === 0) {
      const message = `${path}: its folder has no test; write one, such as the one that "slipstream app new" writes`;
      throw new NodeError('application-missing', message, { path });
    }
    await linkKits(folder);
    const counts = await runTests(files, terminal, (lines) =>
      options.json ? terminal.err(lines) : terminal.out(lines),
    );
    if (options.json) terminal.out(JSON.stringify(counts));
    return counts.failed === 0 ? 0 : EXIT_FAILED;
  },
});
