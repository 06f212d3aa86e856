/** Artifacts that wait for the next version of an application: what this node lacks, has fetched, and may run. */
import type { ArtifactView } from '@slipstream/schema';
import { counted } from '../../design/format.ts';
import { Hex } from '../../design/hex.tsx';
import { Panel } from '../../design/panel.tsx';
import { type Column, Table } from '../../design/table.tsx';
import { useQuery } from '../../node/use-ask.ts';
import { askArtifacts } from './manifest.ts';

/** A node looks every 2 s. */
const ASK_MS = 5_000;

const STATES: Readonly<Record<ArtifactView['state'], string>> = {
  missing: 'Missing: asked of peers',
  fetched: 'Fetched: slipstream app accept',
  accepted: 'Accepted',
  unusable: 'Unusable',
};

const NAMED_BY = { record: 'A record', proposal: 'A proposal' } as const;

const COLUMNS: readonly Column<ArtifactView>[] = [
  { key: 'hash', title: 'Artifact', cell: ({ hash }) => <Hex value={hash} what="artifact hash" /> },
  { key: 'state', title: 'State', cell: ({ state }) => STATES[state] },
  { key: 'name', title: 'Application', cell: ({ name, fault }) => name ?? fault ?? '' },
  { key: 'version', title: 'Version', number: true, cell: ({ version }) => version ?? '' },
  { key: 'by', title: 'Named by', cell: ({ namedBy }) => (namedBy === null ? '' : NAMED_BY[namedBy]) },
];

export function ArtifactPanel() {
  const { answer } = useQuery('artifacts', askArtifacts, { everyMs: ASK_MS });
  if (answer.type !== 'done') return null;
  const artifacts = answer.value;
  if (artifacts.every(({ state, namedBy }) => state === 'accepted' && namedBy !== 'proposal')) return null;
  return (
    <Panel title="Artifacts of upgrades" note={counted(artifacts.length, 'artifact')} flush>
      <Table caption="Artifacts" columns={COLUMNS} rows={artifacts} rowKey={({ hash }) => hash} />
    </Panel>
  );
}
