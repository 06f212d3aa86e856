/** Epochs, validators and proposals for the API, read from the state. */
import type { EpochReads, PageRequest } from '@slipstream/api';
import {
  type CurrentEpoch,
  countValidators,
  EPOCH_BLOCKS_MIN,
  type FetchedEntries,
  listedKey,
  outlookOf,
  readEpoch,
  readGovernance,
  readHead,
  readKeyUse,
  readValidator,
  recordHeadKey,
  validatorAt,
  validatorKey,
  type WaitingValidator,
  waitingValidators,
} from '@slipstream/execution';
import type { LedgerReader } from '@slipstream/ledger';
import { bytesEqual, to0x } from '@slipstream/primitives';
import type { EpochSummary, ProposalView } from '@slipstream/schema';
import { accountKeyText, BLS_PUBLIC_KEY_BYTES, type GenesisHash, NO_RECORD, type ValidatorId } from '@slipstream/types';
import { sharing } from '../api-thread/sharing.ts';
import { readTogether } from '../executor/fetched-entries.ts';
import type { ReadStateValues } from '../executor/state-reader.ts';
import { governorsJson, proposalJson, recordJson, validatorJson } from './epoch-json.ts';
import { placeOf } from './page-place.ts';
import { createRecordReads, type NamedRecord } from './record-reads.ts';

interface EpochReadComponents {
  /** Reads the state, which the executor's thread holds. */
  readonly read: ReadStateValues;
  readonly ledger: Pick<LedgerReader, 'record'>;
  readonly genesisHash: GenesisHash;
  /** Of the newest committed block. */
  readonly headTimestampMs: () => number;
}

interface Proposals {
  /** Block time that the proposals were looked at by. */
  readonly atMs: number;
  readonly height: number;
  readonly items: readonly ProposalView[];
  readonly governors: ReturnType<typeof governorsJson>;
}

export function createEpochReads(components: EpochReadComponents): EpochReads {
  const { read, genesisHash, headTimestampMs } = components;
  const records = createRecordReads(components, genesisHash);
  const together = <T>(view: (entries: FetchedEntries) => T) => readTogether(read, view);
  let newest: Proposals | undefined;

  /** The outlook is as dear as a seal, so it is computed once a block. */
  const computed = sharing(async (): Promise<Proposals> => {
    const atMs = headTimestampMs();
    if (newest?.atMs === atMs) return newest;
    const { height, value } = await together((entries) => {
      const outlook = outlookOf(entries, atMs);
      return {
        outlook,
        governance: readGovernance(entries),
        operated: operatedBy(entries, records.inState(entries, [lastEpochOf(outlook.current)])),
      };
    });
    const { outlook, governance, operated } = value;
    const items = outlook.proposals.map((proposal) => proposalJson(proposal, outlook, height));
    newest = { atMs, height, items, governors: governorsJson(governance, outlook.governors, operated) };
    return newest;
  });

  /** What is under way may be of an older block than the caller knows, from governance.changed for one. */
  async function proposals(): Promise<Proposals> {
    const headMs = headTimestampMs();
    const found = await computed();
    return found.atMs < headMs ? await computed() : found;
  }

  return {
    async list(page) {
      const { height, value } = await together((entries) => {
        const current = readEpoch(entries);
        const last = lastEpochOf(current);
        const from = page.cursor === undefined ? last : Math.min(placeOf(page.cursor), last);
        const epochs = Array.from({ length: Math.min(page.limit, from + 1) }, (_, i) => from - i);
        entries.want(epochs.map(recordHeadKey));
        const found = records.inState(
          entries,
          epochs.filter((epoch) => epoch >= current.oldestMembers),
        );
        const items = epochs.map((epoch, i) => summaryOf(entries, epoch, found[i]));
        const next = from - page.limit;
        return { current, items, next: next < 0 ? null : String(next) };
      });
      const { current, items, next } = value;
      const isSealed = isNextSealed(current);
      const { number: epoch, firstHeight, firstView } = current;
      return {
        height,
        current: {
          epoch,
          firstHeight,
          firstView,
          sealed: isSealed ? to0x(current.sealed) : null,
          sealsFrom: isSealed ? null : firstHeight + EPOCH_BLOCKS_MIN - 1,
        },
        items,
        next,
      };
    },

    async record(epoch) {
      const { height, value } = await together((entries) => {
        const current = readEpoch(entries);
        const number = epoch ?? current.number;
        if (number > lastEpochOf(current)) return undefined;
        const found = number < current.oldestMembers ? undefined : records.inState(entries, [number])[0];
        return { number, endedMs: readHead(entries, number).endedMs, found };
      });
      const found = value && (value.found ?? (await records.inLedger(value.number)));
      return found && recordJson({ ...found, endedMs: value.endedMs, height });
    },

    async validators(page) {
      const { height, value } = await together((entries) => validatorPage(entries, page));
      return { height, ...value };
    },

    async validator(reference) {
      const { value } = await together((entries) => {
        const isKey = reference.length === BLS_PUBLIC_KEY_BYTES;
        const id = isKey ? readKeyUse(entries, reference)?.validatorId : (reference as ValidatorId);
        const validator = id && readValidator(entries, id);
        return id && validator && validatorJson(id, validator);
      });
      return value;
    },

    async proposals(page) {
      const { height, items, governors } = await proposals();
      const places = placesOf(page, items.length);
      return {
        height,
        governance: governors,
        items: places.map((place) => items[place] as ProposalView),
        next: nextOf(page, items.length),
      };
    },

    async proposal(id) {
      const { items } = await proposals();
      const text = to0x(id);
      return items.find((proposal) => proposal.id === text);
    },
  };
}

function validatorPage(entries: FetchedEntries, page: PageRequest & { readonly waiting?: boolean }) {
  if (page.waiting) {
    const found = waitingValidators(entries);
    const items = placesOf(page, found.length).map((place) => found[place] as WaitingValidator);
    return { items: items.map(({ id, validator }) => validatorJson(id, validator)), next: nextOf(page, found.length) };
  }
  const count = countValidators(entries);
  const numbers = placesOf(page, count);
  entries.want(numbers.map(listedKey));
  const ids = numbers.map((number) => validatorAt(entries, number));
  entries.want(ids.map(validatorKey));
  const items = ids.flatMap((id) => {
    const validator = readValidator(entries, id);
    return validator === undefined ? [] : [validatorJson(id, validator)];
  });
  return { items, next: nextOf(page, count) };
}

/** Names of members by the account of their operator. */
function operatedBy(entries: FetchedEntries, [found]: readonly NamedRecord[]): ReadonlyMap<string, readonly string[]> {
  const ids = (found?.record.members ?? []).map(({ validatorId }) => validatorId);
  entries.want(ids.map(validatorKey));
  const operated = new Map<string, string[]>();
  for (const validator of ids.map((id) => readValidator(entries, id))) {
    if (validator === undefined) continue;
    const account = accountKeyText(validator.operator);
    const names = operated.get(account) ?? [];
    names.push(validator.name);
    operated.set(account, names);
  }
  return operated;
}

function isNextSealed({ sealed }: CurrentEpoch): boolean {
  return !bytesEqual(sealed, NO_RECORD);
}

/** With a record in the state. */
function lastEpochOf(current: CurrentEpoch): number {
  return isNextSealed(current) ? current.number + 1 : current.number;
}

/** `found`: undefined once the state has dropped the members. Throws ExecutionError `state-corrupt`. */
function summaryOf(entries: FetchedEntries, epoch: number, found: NamedRecord | undefined): EpochSummary {
  const { version, members, endedMs } = readHead(entries, epoch);
  return {
    epoch,
    version,
    members,
    recordHash: found === undefined ? null : to0x(found.hash),
    totalWeight: found === undefined ? null : found.record.members.reduce((sum, { weight }) => sum + weight, 0),
    endedMs: endedMs === 0 ? null : endedMs,
  };
}

function placesOf({ cursor, limit }: PageRequest, count: number): readonly number[] {
  const from = placeOf(cursor);
  return Array.from({ length: Math.max(0, Math.min(limit, count - from)) }, (_, i) => from + i);
}

function nextOf({ cursor, limit }: PageRequest, count: number): string | null {
  const next = placeOf(cursor) + limit;
  return next < count ? String(next) : null;
}
