/** Certificates that this browser verified by itself, as blocks were committed. */
import { count, duration, percent } from '../../design/format.ts';
import { Hex } from '../../design/hex.tsx';
import { Panel } from '../../design/panel.tsx';
import { Pairs } from '../../design/stat.tsx';
import { Empty } from '../../design/states.tsx';
import { type Column, Table } from '../../design/table.tsx';
import type { BlockVerdict } from '../../proof/live-message.ts';
import { isRefused, summaryOf, useLive } from '../../proof/live-state.ts';
import { VerdictBadge } from '../../proof/verdict-badge.tsx';
import { href } from '../../shell/router.ts';

const NEWEST = 6;

const COLUMNS: readonly Column<BlockVerdict>[] = [
  {
    key: 'height',
    title: 'Height',
    cell: ({ height }) => <a href={href('explorer', 'block', height)}>{count(height)}</a>,
  },
  { key: 'finalization', title: 'Finalization', cell: ({ finalization }) => <VerdictBadge verdict={finalization} /> },
  { key: 'state', title: 'State', cell: ({ state }) => <VerdictBadge verdict={state} /> },
  { key: 'took', title: 'Took', number: true, wideOnly: true, cell: ({ tookMs }) => duration(tookMs) },
];

export function VerifiedHere() {
  const verdicts = useLive((state) => state.verdicts);
  const { verified, refused, passedOver, busyShare } = useLive((state) => state.counters);
  const genesisHash = useLive((state) => state.genesisHash);
  const summary = useLive((state) => summaryOf(state.refused ?? undefined));
  const fault = typeof summary === 'object' ? summary.fault : undefined;
  const rows = [...verdicts.values()].slice(-NEWEST).reverse();
  return (
    <Panel title="Verified in this browser" note="finalizations and state certificates, as they come">
      {rows.length === 0 ? (
        <Empty title="None yet">Each committed block’s certificates are verified here, against the genesis file.</Empty>
      ) : (
        <>
          <Pairs
            pairs={[
              ['verified', count(verified)],
              ['refused', count(refused)],
              ['blocks passed over', count(passedOver)],
              ['of a core', percent(busyShare)],
            ]}
          />
          {genesisHash === null ? null : (
            <p className="small soft">
              With the genesis file that this node gave: <Hex value={genesisHash} what="genesis hash" />
            </p>
          )}
          {fault === undefined ? null : <p className="small">Refused: {fault}.</p>}
          <Table
            caption="Certificates verified in this browser"
            columns={COLUMNS}
            rows={rows}
            rowKey={({ height }) => height}
            rowTone={(row) => (isRefused(row) ? 'bad' : undefined)}
          />
        </>
      )}
    </Panel>
  );
}
