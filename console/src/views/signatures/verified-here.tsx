/** Certificates that this browser verified by itself, as blocks were committed. */
import { count, duration, NONE, percent } from '../../design/format.ts';
import { Hex } from '../../design/hex.tsx';
import { Panel } from '../../design/panel.tsx';
import { Pairs } from '../../design/stat.tsx';
import { Empty } from '../../design/states.tsx';
import { type Column, Table } from '../../design/table.tsx';
import type { HeightVerdict } from '../../proof/live-message.ts';
import { useLive } from '../../proof/live-state.ts';
import { VerdictBadge } from '../../proof/verdict-badge.tsx';
import { href } from '../../shell/router.ts';

const NEWEST = 6;

const COLUMNS: readonly Column<HeightVerdict>[] = [
  {
    key: 'height',
    title: 'Height',
    cell: ({ height }) => <a href={href('explorer', 'block', height)}>{count(height)}</a>,
  },
  { key: 'verdict', title: 'Verdict', cell: ({ fault }) => <VerdictBadge fault={fault} /> },
  {
    key: 'certificates',
    title: 'Certificates',
    cell: ({ fault, finalization }) => (fault !== null ? NONE : finalization ? 'finalization and state' : 'state'),
  },
  { key: 'took', title: 'Took', number: true, wideOnly: true, cell: ({ tookMs }) => duration(tookMs) },
];

export function VerifiedHere() {
  const verdicts = useLive((state) => state.verdicts);
  const { verified, refused, passedOver, busyShare } = useLive((state) => state.counters);
  const genesisHash = useLive((state) => state.genesisHash);
  const lie = useLive((state) => state.lie);
  const rows = [...verdicts.values()].slice(-NEWEST).reverse();
  return (
    <Panel title="Verified in this browser" note="finalizations and state certificates, as they come">
      {rows.length === 0 ? (
        <Empty title="None yet">
          A light client verifies the certificates of each committed height here, against the genesis file.
        </Empty>
      ) : (
        <>
          <Pairs
            pairs={[
              ['verified', count(verified)],
              ['refused', count(refused)],
              ['heights passed over', count(passedOver)],
              ['of a core', percent(busyShare)],
            ]}
          />
          {genesisHash === null ? null : (
            <p className="small soft">
              Trust begins with the genesis file that this node gave: <Hex value={genesisHash} what="genesis hash" />
            </p>
          )}
          {lie === null ? null : <p className="small">Refused: {lie.detail}.</p>}
          <Table
            caption="Certificates verified in this browser"
            columns={COLUMNS}
            rows={rows}
            rowKey={({ height }) => height}
            rowTone={({ fault }) => (fault === null ? undefined : 'bad')}
          />
        </>
      )}
    </Panel>
  );
}
