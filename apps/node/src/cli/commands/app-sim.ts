import { count, defineCommand, inFolder, text, usageError } from '@slipstream/command-line';
import { applicationTools } from '../application-tools.ts';

export const appSimCommand = defineCommand({
  name: 'app sim',
  summary: 'Play random actions against an application, and check its invariants.',
  details:
    'Each action runs in two realms: one lives on, the other crashes at random and is loaded again. Both must give the same. This plays one ' +
    'application alone: no nodes, no blocks of several transactions, no forks. With --nodes it runs on simulated nodes instead, with ' +
    'consensus, executor, pipeline, disks, power cuts, rival blocks and lag: all states must be the same, and invariants hold after each ' +
    'final block.',
  positionals: [{ name: 'PATH', about: "the application's .ts file, or its folder" }],
  options: {
    seeds: count(20, [1, 1_000_000], 'N', 'Runs, each with a state of its own.'),
    'first-seed': count(1, [0, 1_000_000_000], 'N', 'Of the first run: a failure names the seed that shows it.'),
    nodes: count(undefined, [4, 100], 'N', 'Play on so many simulated nodes, in virtual time: some seconds a seed.'),
    actions: count(500, [1, 1_000_000], 'N', 'Actions of each run, without --nodes.'),
    genesis: text('FILE', "The application's genesis input, as JSON. Default: {}."),
    inputs: text('FILE', 'With --nodes: a module whose default export has functions that draw inputs, by action.'),
  },
  example: 'slipstream app sim tickets --seeds 2000 --actions 500',
  async run({ options, arguments: [path = ''], terminal, progress }) {
    const { simulateFile } = await applicationTools('app sim');
    const [{ applicationPlace }, { genesisInput }] = await Promise.all([
      import('../app/application-folder.ts'),
      import('../app/genesis-input.ts'),
    ]);
    const { file } = await applicationPlace(terminal, path);
    const { seeds, actions, nodes } = options;
    const firstSeed = options['first-seed'];
    const { outcomeLines, simulateNodes } = await import('../app/simulated-nodes.ts');
    if (nodes !== undefined) {
      const [genesis, inputs] = [options.genesis, options.inputs].map((path) => path && inFolder(terminal, path));
      return simulateNodes({ file, genesis, inputs, nodes, seeds, firstSeed, json: options.json }, terminal);
    }
    if (options.inputs !== undefined) throw usageError('slipstream app sim', ['--inputs needs --nodes']);
    const genesis = await genesisInput(terminal, options.genesis, 'slipstream app sim');
    const played = await simulateFile({ file, genesis, seeds, firstSeed, actions }, progress);
    if (options.json) {
      terminal.out(JSON.stringify(played));
      return 0;
    }
    const never = played.neverSucceeded;
    terminal.out(
      [
        `${played.actions} actions, ${played.crashes} crashes: both realms gave the same, and every invariant held.`,
        ...outcomeLines(played.outcomes),
        ...(never.length > 0 ? [`Never succeeded, so nothing is known of it: ${never.join(', ')}.`] : []),
      ].join('\n'),
    );
    return 0;
  },
});
