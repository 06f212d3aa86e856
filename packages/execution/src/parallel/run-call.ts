/** A worker's side: runs a call that was handed over, by the code that the executor runs it with, on the entries that came with it. */
import { toHex } from '@slipstream/primitives';
import { type AccountKey, accountKeyFromWire, asId, type TransactionId } from '@slipstream/types';
import { decodeBalance } from '../account-value.ts';
import type { CollectAllowance } from '../actions/rule.ts';
import { AMOUNT_MAX } from '../amount.ts';
import { type Applications, createApplications, type InstalledApplication } from '../applications/applications.ts';
import type { Scratch } from '../overlay.ts';
import { rebalanced, serialized, type Value } from '../overlay-value.ts';
import type { StateKey } from '../state-keys.ts';
import type { CallChange, HandedBlock, HandedCall, HandedResult } from './call-workers.ts';

/** Undefined: no result, so that the executor runs the call. Throws what the realm's own defects throw. */
type RunHandedCall = (block: HandedBlock, call: HandedCall) => HandedResult | undefined;

/** Of the artifacts that a worker has; the programs run nothing else. */
export function createHandedCalls(installed: readonly InstalledApplication[]): RunHandedCall {
  const byHash = new Map(installed.map((one) => [toHex(one.hash), one]));
  let isFaulty = false;
  let current: { readonly of: string; readonly applications: Applications | undefined } | undefined;

  /** The numbers of applications are those of the block's artifacts. */
  function applicationsOf({ artifacts }: HandedBlock): Applications | undefined {
    const of = artifacts.map(toHex).join();
    if (current?.of !== of) {
      const found = artifacts.map((hash) => byHash.get(toHex(hash))).filter((one) => one !== undefined);
      const report = () => {
        isFaulty = true;
      };
      const applications =
        found.length < artifacts.length ? undefined : createApplications(found, { reportFault: report });
      current = { of, applications };
    }
    return current?.applications;
  }

  return (block, handed) => {
    const applications = applicationsOf(block);
    const name = applications?.installed[handed.application]?.program.manifest.name;
    if (applications === undefined || name === undefined) return undefined;
    isFaulty = false;
    const { action, input } = handed;
    const scratch = createHandedEntries(handed);
    const allowance: CollectAllowance = { most: AMOUNT_MAX, collected: 0n, asked: 0n };
    const applied = applications.call(
      scratch,
      { kind: 'call', application: name, action, input },
      {
        ...block,
        sender: accountIn(handed.sender),
        transactionId: asId<TransactionId>(handed.transactionId),
        allowance,
      },
    );
    // The executor's log has the fault, in its words. Of a session's limit only the executor knows.
    if (isFaulty || (!applied.ok && applied.code === 'session-limit')) return undefined;
    const { collected, asked } = allowance;
    const sums = { output: applied.output ?? new Uint8Array(0), collected, asked };
    if (!applied.ok) return { ok: false, code: applied.code, ...sums };
    return { ok: true, changes: scratch.changes(), paid: applied.paid ?? [], ...sums };
  };
}

const accountIn = (bytes: Uint8Array): AccountKey =>
  accountKeyFromWire({ scheme: bytes[0] as number, bytes: bytes.slice(1) });

interface HandedScratch extends Scratch {
  changes(): readonly CallChange[];
}

interface Slot {
  value: Value;
  isBalance: boolean;
  isChanged: boolean;
}

/** The host refuses keys that are not declared, so that none is missing here. */
function createHandedEntries({ entries }: HandedCall): HandedScratch {
  const places = new Map(entries.map(({ key }, at) => [toHex(key), at]));
  const slots: readonly Slot[] = entries.map(({ value }) => ({ value, isBalance: false, isChanged: false }));
  const slotOf = ({ text }: StateKey): Slot => {
    const slot = slots[places.get(text) ?? -1];
    if (slot === undefined) throw new RangeError(`no entry ${text} was handed over`);
    return slot;
  };
  return {
    get: (key) => serialized(slotOf(key).value),
    set(key, value) {
      Object.assign(slotOf(key), { value, isChanged: true });
    },
    balance: (key) => balanceOf(slotOf(key).value),
    setBalance(key, balance) {
      const slot = slotOf(key);
      Object.assign(slot, { value: rebalanced(slot.value, balance), isBalance: true, isChanged: true });
    },
    changes: () =>
      slots.flatMap(({ value, isBalance, isChanged }, at): CallChange[] => {
        if (!isChanged) return [];
        return [isBalance ? { at, balance: balanceOf(value) } : { at, value: serialized(value) }];
      }),
  };
}

const balanceOf = (value: Value): bigint => (typeof value === 'bigint' ? value : decodeBalance(value));
