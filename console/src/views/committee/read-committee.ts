/** What the view shows, read together. Records never change, so each is read once. */
import type { EpochRecordJson, Epochs, Listed, ProposalPage, ValidatorView } from '@slipstream/schema';
import { client } from '../../node/client.ts';

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
}

const PAGE = 100;
/** One before, one now, one sealed, for two chains. */
const RECORDS_MAX = 6;

const records = new Map<string, EpochRecordJson>();

export async function readCommittee(signal: AbortSignal): Promise<CommitteeState> {
  const [epochs, proposals, waiting] = await Promise.all([
    client.epochs({ signal }),
    client.proposals({ limit: PAGE, signal }),
    client.validators({ waiting: true, limit: PAGE, signal }),
  ]);
  const { epoch, sealed } = epochs.current;
  const hashOf = (number: number) => epochs.items.find((each) => each.epoch === number)?.recordHash ?? undefined;
  const [now, before, next] = await Promise.all([
    recordOf(epoch, hashOf(epoch), signal),
    epoch === 0 ? undefined : recordOf(epoch - 1, hashOf(epoch - 1), signal).catch(() => undefined),
    sealed === null ? undefined : recordOf(epoch + 1, sealed, signal),
  ]);
  const { items, next: more } = waiting;
  return { epochs, now, before, next, proposals, waiting: items, hasMoreWaiting: more !== null };
}

async function recordOf(epoch: number, hash: string | undefined, signal: AbortSignal): Promise<EpochRecordJson> {
  const known = hash === undefined ? undefined : records.get(hash);
  if (known !== undefined) return known;
  const record = await client.epoch(epoch, { signal });
  records.set(record.recordHash, record);
  const [oldest] = records.keys();
  if (records.size > RECORDS_MAX && oldest !== undefined) records.delete(oldest);
  return record;
}
