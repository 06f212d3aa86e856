/** One application: what it is, calls of its actions, entries of its tables, its queries and its newest events. */
import '../../proof/proof.css';
import { Badge, type Tone } from '../../design/badge.tsx';
import { Facts } from '../../design/facts.tsx';
import { count } from '../../design/format.ts';
import { Hex } from '../../design/hex.tsx';
import { Panel } from '../../design/panel.tsx';
import { Empty } from '../../design/states.tsx';
import { href } from '../../shell/router.ts';
import { ActionPanel } from './action-panel.tsx';
import { EventPages } from './event-pages.tsx';
import { EventPanel } from './event-panel.tsx';
import type { InstalledApplication } from './manifest.ts';
import { type ManifestCheck, useManifestCheck } from './manifest-check.ts';
import { QueryPanel } from './query-panel.tsx';
import { TablePanel } from './table-panel.tsx';

export function ApplicationPage({ application }: { readonly application: InstalledApplication }) {
  const { name, number, hash, manifest } = application;
  const check = useManifestCheck(application);
  return (
    <div className="view">
      <div className="view-head">
        <h1>{name}</h1>
        <a href={href('applications')}>All applications</a>
      </div>
      <Panel title="Application" note="compared with the state, in this browser">
        <div className="stack">
          <CheckLine check={check} />
          <Facts
            facts={[
              ['Version', String(manifest.version)],
              ['Number in genesis', String(number)],
              ['Artifact', <Hex key="hash" value={hash} what="artifact hash" whole />],
              ['Invariants', manifest.invariants.join(', ') || 'none'],
            ]}
          />
        </div>
      </Panel>
      {check.type === 'refused' ? null : <Content application={application} />}
    </div>
  );
}

const TONES: Readonly<Record<ManifestCheck['type'], readonly [tone: Tone, word: string]>> = {
  checking: ['info', 'checking'],
  verified: ['good', 'verified'],
  refused: ['bad', 'refused'],
  'not-checked': ['warn', 'not checked'],
};

function CheckLine({ check }: { readonly check: ManifestCheck }) {
  const [tone, word] = TONES[check.type];
  return (
    <p className="proof-verdict" role="status">
      <Badge tone={tone}>{word}</Badge>
      <span className="small soft">{sentence(check)}</span>
    </p>
  );
}

function sentence(check: ManifestCheck): string {
  switch (check.type) {
    case 'checking':
      return 'Manifest: its artifact is compared with the state';
    case 'verified':
      return `Manifest: of the artifact whose hash is in the state at height ${count(check.height)}`;
    case 'not-checked':
      return `Manifest: as this node says. ${check.reason}`;
    case 'refused':
      return `Do not sign calls by this manifest: ${check.reason}`;
    default:
      return check satisfies never;
  }
}

function Content({ application }: { readonly application: InstalledApplication }) {
  const { manifest } = application;
  return (
    <>
      <div className="columns">
        <div className="stack">
          {manifest.actions.length === 0 ? <None what="actions" /> : <ActionPanel application={application} />}
        </div>
        <div className="stack">
          {manifest.tables.length === 0 ? <None what="tables" /> : <TablePanel application={application} />}
          {manifest.queries.length === 0 ? <None what="queries" /> : <QueryPanel application={application} />}
        </div>
      </div>
      <EventPanel application={application} />
      {manifest.events.length === 0 ? null : <EventPages application={application} />}
    </>
  );
}

function None({ what }: { readonly what: string }) {
  return (
    <Panel title={`No ${what}`}>
      <Empty title={`This application has no ${what}`} />
    </Panel>
  );
}
