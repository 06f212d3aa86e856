import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { defineCommand, inFolder, type Terminal } from '@slipstream/command-line';
import { DATA, HOME } from '@slipstream/node-home';
import { silentTelemetry } from '@slipstream/ports';
import { NodeError } from '../../errors.ts';
import { configOf } from '../places.ts';
import { homeOption, refuseNewerFormats, withStoppedNode } from '../stopped-node.ts';

export const stateRebuildCommand = defineCommand({
  name: 'state rebuild',
  summary: 'Set the state and ledger of a stopped node aside, so that its next start takes them from its peers.',
  details:
    'For a node that stopped because its digest differed, or with a damaged ledger or state. Nothing is deleted: data/set-aside has all that was ' +
    'there. Evidence and blocked peers are carried over. Keys, write-ahead log and signing state stay: they protect against double signing.',
  options: { home: homeOption },
  example: 'slipstream state rebuild --home chain/validator-0',
  async run({ options, terminal }) {
    const home = inFolder(terminal, options.home ?? '.');
    const folder = join(home, HOME.data);
    const [{ finishSetAside, prepareLedger, setAside }, { createDisk }] = await Promise.all([
      import('../../storage/set-aside.ts'),
      import('@slipstream/platform'),
    ]);
    if (![DATA.ledger, DATA.rebuilt].some((name) => existsSync(join(folder, name)))) {
      const message = `${home} has no ledger: no node has run there yet, or it is gone. A start takes the state from its peers`;
      throw new NodeError('home-incomplete', message, { home });
    }
    await refuseNewerFormats(home, terminal);
    const disk = createDisk({ root: folder });
    await finishSetAside(folder, disk);
    const isCarried = await withStoppedNode(home, terminal, async ({ ledger, genesisHash }) => {
      await prepareLedger(folder, ledger, { genesisHash, telemetry: silentTelemetry });
      return ledger !== undefined;
    });
    const path = join(folder, await setAside(folder, disk));
    const notes = await notesOf(home, terminal, isCarried);
    if (options.json) terminal.out(JSON.stringify({ setAside: path, recordsCarriedOver: isCarried, notes }));
    else terminal.out([`set aside: ${path}. The next start takes the state from the peers`, ...notes].join('\n'));
    return 0;
  },
});

async function notesOf(home: string, terminal: Terminal, isCarried: boolean): Promise<readonly string[]> {
  const config = await configOf(home, terminal);
  const notes: string[] = [];
  if (!isCarried) {
    notes.push(
      'the ledger is damaged: its evidence and blocked peers are not carried over; other nodes still show them',
    );
  }
  if (config['retention.archive'] || config['sync.distance'] === 0) {
    notes.push(
      'this node takes over no state (retention.archive, or sync.distance 0): it needs a peer that has all blocks',
    );
  }
  return notes;
}
