/** Block and stages, or why it was nullified. */
import { Badge } from '../../design/badge.tsx';
import { type Fact, Facts } from '../../design/facts.tsx';
import { count, duration, timeOfDay } from '../../design/format.ts';
import { Hex } from '../../design/hex.tsx';
import { Panel } from '../../design/panel.tsx';
import { Empty } from '../../design/states.tsx';
import { finalityMs, progressOf } from '../../node/progress.ts';
import { href } from '../../shell/router.ts';
import type { NullifiedView, ViewRow } from '../../stream/snapshot.ts';
import { Gantt } from './gantt.tsx';

interface SelectedViewProps {
  readonly view: number;
  /** Undefined: not retained. */
  readonly row: ViewRow | undefined;
}

export function SelectedView({ view, row }: SelectedViewProps) {
  if (row === undefined) {
    return (
      <Panel title={`View ${view}`}>
        <Empty title="Not available here">This page holds recent views only. Earlier blocks are in the explorer.</Empty>
      </Panel>
    );
  }
  const { tone, word } = progressOf(row);
  return (
    <Panel title={`View ${row.view}`} note={<Badge tone={tone}>{word}</Badge>}>
      <div className="stack">
        <Facts facts={factsOf(row)} />
        {row.times.proposedMs === undefined ? null : <Gantt times={row.times} shadowedMs={row.shadowedMs} />}
      </div>
    </Panel>
  );
}

function factsOf(row: ViewRow): readonly Fact[] {
  const { nullified, height, blockId, leader, kind, times } = row;
  return [
    ...(nullified === null ? [] : [['Nullified', nullifiedText(nullified)] as const]),
    ['Leader', leader === null ? '–' : `validator ${leader}`],
    ...(height === null
      ? []
      : [
          [
            'Height',
            <a key="height" href={href('explorer', 'block', height)}>
              {count(height)}
            </a>,
          ] as const,
        ]),
    ...(blockId === null ? [] : [['Block', <Hex key="id" value={blockId} what="block id" />] as const]),
    ...(times.proposedMs === undefined
      ? []
      : [['Proposed', `${timeOfDay(times.proposedMs)}${kind === null ? '' : `, ${kind}`}`] as const]),
    ...(nullified === null ? ([['Final after', duration(finalityMs(row))]] as const) : []),
    ...(row.transactions === null ? [] : [['Transactions', count(row.transactions)] as const]),
    ...(row.rows ? [['Rows of batches', count(row.rows)] as const] : []),
    ...(row.certifySigners === null
      ? []
      : [['Votes', `${row.notarizeSigners ?? '–'} notarize, ${row.certifySigners} certify`] as const]),
  ];
}

function nullifiedText({ reason, atMs }: NullifiedView): string {
  if (reason === null || atMs === null) return 'the chain has no block of this view; the node retained no reason';
  return `${reason}, at ${timeOfDay(atMs)}: the leader's block did not get a quorum in time`;
}
