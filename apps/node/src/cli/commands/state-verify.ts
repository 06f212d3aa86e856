import { defineCommand, EXIT_FAILED } from '@slipstream/command-line';
import { DATA } from '@slipstream/node-home';
import { silentTelemetry } from '@slipstream/ports';
import { NodeError } from '../../errors.ts';
import { homeOption, withStoppedNode } from '../stopped-node.ts';

export const stateVerifyCommand = defineCommand({
  name: 'state verify',
  summary: "Verify the checksums of every file of a node's state store.",
  details:
    'Stop the node first. Bytes that no commit covers are cut off, as at a start of the node. Exits with 1 on a fault.',
  options: { home: homeOption },
  example: 'slipstream state verify --home chain/validator-0',
  async run({ options, terminal, progress }) {
    return await withStoppedNode(options.home, terminal, async ({ home, disk, genesis, genesisHash }) => {
      // Opening a missing store would create one.
      if ((await disk.list(DATA.state)).length === 0) {
        throw new NodeError('home-incomplete', `${home} has no state: no node has run there yet, or it is gone`, {
          home,
        });
      }
      const { openState } = await import('@slipstream/node-home/state');
      const { createRandom } = await import('@slipstream/platform');
      const world = { random: createRandom(), telemetry: silentTelemetry };
      const state = await openState(disk, { genesis, genesisHash }, world);
      try {
        const report = await state.verify(progress);
        const { keys } = await state.stats();
        const { batch, block } = state.tip;
        const faults = report.faults.map(({ file, offset, what }) => `  FAULT ${file} at ${offset}: ${what}`);
        const summary = `${report.files} files, ${report.bytes} bytes, ${keys} keys, batch ${batch}, block 0x${block}`;
        const verdict = faults.length === 0 ? 'every checksum holds' : `${faults.length} faults`;
        terminal.out(
          options.json
            ? JSON.stringify({ ...report, keys, batch, block: `0x${block}` })
            : [`${summary}: ${verdict}`, ...faults].join('\n'),
        );
        return faults.length === 0 ? 0 : EXIT_FAILED;
      } finally {
        await state.close();
      }
    });
  },
});
