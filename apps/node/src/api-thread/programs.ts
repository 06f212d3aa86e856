/** Artifacts of applications as the API's thread uses them, which a development chain exchanges. */
import type { NodeBackend } from '@slipstream/api';
import type { Clock, Telemetry } from '@slipstream/ports';
import { createApplicationsByEpoch } from '../backend/applications-by-epoch.ts';
import type { ReadStateValues } from '../executor/state-reader.ts';
import { createQueryRunner, type QueryRunner } from '../queries/runner.ts';
import type { ApiSetting } from './wire.ts';

interface Programs {
  readonly queries: QueryRunner;
  readonly inEpoch: NodeBackend['applications']['inEpoch'];
  /** Artifacts in the order of genesis; none: those of before stay. */
  replace(applications: readonly Uint8Array[]): void;
  /** One of a later epoch. */
  accepted(artifact: Uint8Array): void;
}

interface Components {
  readonly clock: Clock;
  readonly telemetry: Telemetry;
  readonly state: { readonly read: ReadStateValues };
}

export function createPrograms(components: Components, { genesisHash, ...given }: ApiSetting): Programs {
  const { read } = components.state;
  const hasApplications = given.applications.length > 0;
  let { applications, accepted } = given;
  const artifacts = () => [...applications, ...accepted];
  const list = () => createApplicationsByEpoch({ read, artifacts: artifacts(), hasApplications });
  const queries = createQueryRunner(components, { genesisHash, applications: artifacts() });
  let inEpoch = list();

  function changed(): void {
    inEpoch = list();
    queries.replace(artifacts());
  }

  return {
    queries,
    inEpoch: (epoch) => inEpoch(epoch),
    replace(next) {
      if (next.length === 0) return;
      applications = next;
      changed();
    },
    accepted(artifact) {
      accepted = [...accepted, artifact];
      changed();
    },
  };
}
