import { consoleFolder } from '@slipstream/checkout';
import { count, defineCommand, text } from '@slipstream/command-line';
import { applicationTools } from '../application-tools.ts';
import { createNodeLog } from '../node-log.ts';

const PORT_MAX = 65_535;

export const appDevCommand = defineCommand({
  name: 'app dev',
  summary: 'Run an application on a development chain, and each saved version of it on the same history.',
  details:
    'One validator with its API and console, in memory where there is a memory disk. A save builds the application and executes all ' +
    'transactions so far again on it, in the same blocks; receipts that changed are listed. A version that cannot be built or run is ' +
    'reported with line and remedy, and the one before runs on. The chain ends with the command.',
  positionals: [{ name: 'PATH', about: "the application's .ts file, or its folder" }],
  options: {
    genesis: text('FILE', "The application's genesis input, as JSON. Default: {}."),
    'api-port': count(8080, [0, PORT_MAX], 'PORT', 'Of API and console; 0 takes a free one.'),
  },
  example: 'slipstream app dev tickets --api-port 8081',
  async run({ options, arguments: [path = ''], terminal, underWay }) {
    await applicationTools('app dev');
    const [{ applicationPlace }, { genesisInput }, { developApplication }, { startReloadingNode }] = await Promise.all([
      import('../app/application-folder.ts'),
      import('../app/genesis-input.ts'),
      import('../app/develop.ts'),
      import('../app/reloading-node.ts'),
    ]);
    const { file, shownFolder } = await applicationPlace(terminal, path);
    terminal.outlivesOutput();
    const log = createNodeLog({ level: 'error', name: 'dev', pretty: !options.json }, terminal);
    await developApplication({
      file,
      shownFolder,
      genesis: () => genesisInput(terminal, options.genesis, 'slipstream app dev'),
      start: (program) =>
        startReloadingNode(program, { ...log, consoleFolder: consoleFolder(), apiPort: options['api-port'] }),
      terminal,
      json: options.json,
      underWay,
    });
    return 0;
  },
});
