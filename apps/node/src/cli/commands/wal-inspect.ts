import { defineCommand, EXIT_FAILED, flag } from '@slipstream/command-line';
import { DATA } from '@slipstream/node-home';
import { to0x } from '@slipstream/primitives';
import { formatInspectEntry, type InspectEntry, inspectLog } from '@slipstream/wal';
import { homeOption, withStoppedNode } from '../stopped-node.ts';

export const walInspectCommand = defineCommand({
  name: 'wal inspect',
  summary: "Print a node's write-ahead log record by record. Changes nothing.",
  details:
    'Stop the node first. Exits with 1 when records are damaged or missing before others. With --json, one JSON object a line.',
  options: { home: homeOption, summary: flag('Print only the number of records of each kind.') },
  example: 'slipstream wal inspect --home chain/validator-0 --summary',
  async run({ options, terminal }) {
    return await withStoppedNode(options.home, terminal, async ({ disk }) => {
      const kinds = new Map<string, number>();
      let records = 0;
      /** Damage at the end is a torn tail, which the next start cuts off; damage before a record is a loss. */
      let damaged = false;
      let lossy = false;
      for await (const entry of inspectLog(disk, DATA.wal)) {
        if (entry.type === 'record') {
          records += 1;
          kinds.set(entry.kind, (kinds.get(entry.kind) ?? 0) + 1);
          lossy ||= damaged || !entry.inOrder;
        }
        if (entry.type === 'damage') damaged = true;
        if (!options.summary) terminal.out(options.json ? JSON.stringify(jsonOf(entry)) : formatInspectEntry(entry));
      }
      const summary = { records, kinds: Object.fromEntries(kinds) };
      if (options.json && options.summary) terminal.out(JSON.stringify(summary));
      if (!options.json) terminal.out(summaryText(summary));
      return lossy ? EXIT_FAILED : 0;
    });
  },
});

function jsonOf(entry: InspectEntry): unknown {
  return entry.type === 'record' ? { ...entry, payload: to0x(entry.payload) } : entry;
}

function summaryText({
  records,
  kinds,
}: {
  readonly records: number;
  readonly kinds: Readonly<Record<string, number>>;
}) {
  const counts = Object.entries(kinds).map(([kind, count]) => `${count} ${kind}`);
  return `${records} records${counts.length === 0 ? '' : `: ${counts.join(', ')}`}`;
}
