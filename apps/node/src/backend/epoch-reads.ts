/** Epochs, validators and proposals for the API, read from the state. */
import type { EpochReads, PageRequest } from '@slipstream/api';
import {
  countValidators,
  EPOCH_BLOCKS_MIN,
  type FetchedEntries,
  listedKey,
  outlookOf,
  readEpoch,
  readGovernance,
  readHead,
  readKeyUse,
  readRecordTogether,
  readValidator,
  recordHeadKey,
  validatorAt,
  validatorKey,
} from '@slipstream/execution';
import { bytesEqual, to0x } from '@slipstream/primitives';
import type { EpochSummary, ProposalView } from '@slipstream/schema';
import { BLS_PUBLIC_KEY_BYTES, type GenesisHash, NO_RECORD, recordHashOf, type ValidatorId } from '@slipstream/types';
import { sharing } from '../api-thread/sharing.ts';
import type { ReadStateValues } from '../executor/state-reader.ts';
import { governorsJson, proposalJson, recordJson, validatorJson } from './epoch-json.ts';
import { readTogether } from './fetched-entries.ts';
import { placeOf } from './page-place.ts';

interface EpochReadComponents {
  /** Reads the state, which the executor's thread holds. */
  readonly read: ReadStateValues;
  readonly genesisHash: GenesisHash;
  /** Of the newest committed block. */
  readonly headTimestampMs: () => number;
}

interface Proposals {
  readonly height: number;
  readonly items: readonly ProposalView[];
  readonly governors: ReturnType<typeof governorsJson>;
}

export function createEpochReads({ read, genesisHash, headTimestampMs }: EpochReadComponents): EpochReads {
  const together = <T>(view: (entries: FetchedEntries) => T) => readTogether(read, view);

  const proposals = sharing(async (): Promise<Proposals> => {
    const { height, value } = await together((entries) => {
      const outlook = outlookOf(entries, headTimestampMs());
      return { outlook, governance: readGovernance(entries) };
    });
    const { outlook, governance } = value;
    const items = outlook.proposals.map((proposal) => proposalJson(proposal, outlook, height));
    return { height, items, governors: governorsJson(governance, outlook.governors) };
  });

  return {
    async list(page) {
      const { height, value } = await together((entries) => {
        const current = readEpoch(entries);
        const isSealed = !bytesEqual(current.sealed, NO_RECORD);
        const newest = current.number + (isSealed ? 1 : 0);
        const from = page.cursor === undefined ? newest : Math.min(placeOf(page.cursor), newest);
        const epochs = Array.from({ length: Math.min(page.limit, from + 1) }, (_, i) => from - i);
        entries.want(epochs.map(recordHeadKey));
        const items = epochs.map((epoch) => summaryOf(entries, epoch, epoch >= current.oldestMembers, genesisHash));
        const last = from - page.limit;
        return { current, isSealed, items, next: last < 0 ? null : String(last) };
      });
      const { current, isSealed, items, next } = value;
      const { number: epoch, firstHeight, firstView } = current;
      return {
        height,
        current: {
          ...{ epoch, firstHeight, firstView },
          sealed: isSealed ? to0x(current.sealed) : null,
          sealsFrom: isSealed ? null : firstHeight + EPOCH_BLOCKS_MIN - 1,
        },
        ...{ items, next },
      };
    },

    async record(epoch) {
      const { height, value } = await together((entries) => {
        const current = readEpoch(entries);
        const newest = current.number + (bytesEqual(current.sealed, NO_RECORD) ? 0 : 1);
        const number = epoch ?? current.number;
        if (number > newest || number < current.oldestMembers) return undefined;
        const record = readRecordTogether(entries, number);
        entries.want(record.members.map(({ validatorId }) => validatorKey(validatorId)));
        const names = record.members.map(({ validatorId }) => readValidator(entries, validatorId)?.name ?? '');
        return { record, names, endedMs: readHead(entries, number).endedMs };
      });
      return value && recordJson({ ...value, height, hash: recordHashOf(genesisHash, value.record) });
    },

    async validators(page) {
      const { height, value } = await together((entries) => {
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
      });
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

/** Throws ExecutionError `state-corrupt`. */
function summaryOf(
  entries: FetchedEntries,
  epoch: number,
  hasMembers: boolean,
  genesisHash: GenesisHash,
): EpochSummary {
  const { version, members, endedMs } = readHead(entries, epoch);
  const record = hasMembers ? readRecordTogether(entries, epoch) : undefined;
  return {
    ...{ epoch, version, members },
    recordHash: record === undefined ? null : to0x(recordHashOf(genesisHash, record)),
    totalWeight: record === undefined ? null : record.members.reduce((sum, { weight }) => sum + weight, 0),
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
