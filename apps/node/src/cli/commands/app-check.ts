import { defineCommand, EXIT_FAILED } from '@slipstream/command-line';
import { applicationTools } from '../application-tools.ts';

export const appCheckCommand = defineCommand({
  name: 'app check',
  summary: 'Check an application: what its code may not have, its definitions, its lock file. Write nothing.',
  details:
    'Prints FILE:LINE, what is not allowed there, and what to write instead. Exits with 1 when it finds something.',
  positionals: [{ name: 'PATH', about: "the application's .ts file, or its folder" }],
  options: {},
  example: 'slipstream app check tickets',
  async run({ options, arguments: [path = ''], terminal }) {
    const { checkApplication } = await applicationTools('app check');
    const { applicationPlace } = await import('../app/application-folder.ts');
    const { file, shownFolder } = await applicationPlace(terminal, path);
    const checked = await checkApplication(file);
    if (!checked.ok) {
      const { shownFindings } = await import('../app/findings.ts');
      const findings = shownFindings(checked.findings, shownFolder);
      const lines = findings.map(({ message }) => message);
      terminal.out(options.json ? JSON.stringify({ ok: false, findings }) : lines.join('\n'));
      return EXIT_FAILED;
    }
    const { name, version, actions, events, queries, tables } = checked.build.manifest;
    const counts = { tables: tables.length, actions: actions.length, events: events.length, queries: queries.length };
    const listed = Object.entries(counts).map(([what, count]) => `${count} ${what}`);
    terminal.out(
      options.json
        ? JSON.stringify({ ok: true, name, version, ...counts })
        : `${name}, version ${version}: ${listed.join(', ')}. Nothing is forbidden.`,
    );
    return 0;
  },
});
