/** What the view shows, read together. Records never change, so each is read once. */
import type { Client } from '@slipstream/client';
import type { EpochRecordJson, Epochs, Listed, ProposalPage, ValidatorView } from '@slipstream/schema';
import { type ReportedVersions, readReportedVersions } from './reported-versions.ts';

export interface CommitteeState {
  readonly epochs: Listed<Epochs>;
  readonly now: EpochRecordJson;
  /** Undefined for the first epoch, and where the node no longer has it. */
  readonly before: EpochRecordJson | undefined;
  /** Sealed. */
  readonly next: EpochRecordJson | undefined;
  readonly proposals: Listed<ProposalPage>;
  /** Those that a seal is awaited for. */
  readonly waiting: readonly ValidatorView[];
  readonly hasMoreWaiting: boolean;
  /** Undefined while no proposal names a version. */
  readonly versions: ReportedVersions | undefined;
}

type CommitteeReads = Pick<Client, 'epochs' | 'epoch' | 'proposals' | 'validators'>;

const PAGE = 100;
/** One before, one now, one sealed, for two chains. */
const RECORDS_MAX = 6;

export function createCommitteeReader(): (client: CommitteeReads, signal: AbortSignal) => Promise<CommitteeState> {
  const records = new Map<string, EpochRecordJson>();

  async function remembered(key: string | undefined, read: () => Promise<EpochRecordJson>): Promise<EpochRecordJson> {
    const known = key === undefined ? undefined : records.get(key);
    if (known !== undefined) return known;
    const record = await read();
    if (key !== undefined) records.set(key, record);
    const [oldest] = records.keys();
    if (records.size > RECORDS_MAX && oldest !== undefined) records.delete(oldest);
    return record;
  }

  return async (client, signal) => {
    const [epochs, proposals, waiting] = await Promise.all([
      client.epochs({ signal }),
      client.proposals({ limit: PAGE, signal }),
      client.validators({ waiting: true, limit: PAGE, signal }),
    ]);
    const { epoch, sealed } = epochs.current;
    const hash = epochs.items.find((each) => each.epoch === epoch)?.recordHash ?? undefined;
    const recordOf = (number: number, key: string | undefined) =>
      remembered(key, () => client.epoch(number, { signal }));
    const [now, before, next, versions] = await Promise.all([
      recordOf(epoch, hash),
      // The list has no hash of it once the state has dropped its members.
      epoch === 0 ? undefined : recordOf(epoch - 1, hash && `before ${hash}`).catch(() => undefined),
      sealed === null ? undefined : recordOf(epoch + 1, sealed),
      isVersionProposed(proposals) ? readReportedVersions(client, signal).catch(() => undefined) : undefined,
    ]);
    const { items, next: more } = waiting;
    return { epochs, now, before, next, proposals, waiting: items, hasMoreWaiting: more !== null, versions };
  };
}

function isVersionProposed({ items }: ProposalPage): boolean {
  return items.some(({ changes }) => changes.some(({ kind }) => kind === 'setVersion'));
}
