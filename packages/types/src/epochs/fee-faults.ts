/** Fee parameters that are valid one by one, but make a chain unusable together. */
import { ed25519Account } from '../account.ts';
import type { Action } from '../actions/index.ts';
import { unitsOf } from '../fee-units.ts';
import type { GenesisHash, ProposalId } from '../ids.ts';
import { asId, ID_BYTES } from '../ids.ts';
import { ED25519_PUBLIC_KEY_BYTES, ED25519_SIGNATURE_BYTES } from '../limits.ts';
import { SALT_BYTES, type Transaction, transactionCodec } from '../transaction.ts';
import { NO_UNITS, UNIT_DIMENSIONS, type Units } from '../units.ts';
import type { Change } from './changes.ts';
import { type FeeParameters, WINDOW_BLOCKS_MAX } from './parameters.ts';

const NO_ACCOUNT = ed25519Account(new Uint8Array(ED25519_PUBLIC_KEY_BYTES));

/** Its bytes do not depend on the values. */
const PARAMETERS: Change = {
  kind: 'setParameters',
  fees: {
    initialPrices: UNIT_DIMENSIONS.map(() => 0n),
    minimumPrices: UNIT_DIMENSIONS.map(() => 0n),
    targets: NO_UNITS,
    limits: NO_UNITS,
    windowBlocks: 0,
  },
  times: { delayMs: 0, graceMs: 0, leaderTimeoutMs: 0, viewTimeoutMs: 0, minBlockIntervalMs: 0 },
};

/** One line per fault: "fees.<field>: <what is wrong, and what to do>". */
export function feeFaults(fees: FeeParameters): readonly string[] {
  return [...windowFaults(fees), ...limitFaults(fees), ...targetFaults(fees)];
}

function windowFaults({ windowBlocks }: FeeParameters): readonly string[] {
  if (windowBlocks >= 1 && windowBlocks <= WINDOW_BLOCKS_MAX) return [];
  return [`fees.windowBlocks: is ${windowBlocks}: a window has 1 to ${WINDOW_BLOCKS_MAX} blocks`];
}

function limitFaults({ limits }: FeeParameters): readonly string[] {
  const needed = [
    ['a plain transfer', plainTransferUnits()],
    // Else governance could never change the limits again.
    ['a proposal of parameters', unitsOfAction({ kind: 'propose', changes: [PARAMETERS], notBeforeMs: 0 })],
    ['an approval', unitsOfAction({ kind: 'approve', proposalId: asId<ProposalId>(new Uint8Array(ID_BYTES)) })],
  ] as const;
  return UNIT_DIMENSIONS.flatMap((dimension, i) => {
    const limit = limits[i] as number;
    const [name, units] = needed.find((each) => limit < (each[1][i] as number)) ?? [];
    if (units === undefined) return [];
    return [`fees.limits[${i}]: is ${limit}, ${name} takes ${units[i]} (${dimension}): no block could hold one`];
  });
}

/** A price falls while usage is below its target, so a target of zero never lets it fall. */
function targetFaults({ targets, initialPrices, minimumPrices }: FeeParameters): readonly string[] {
  return UNIT_DIMENSIONS.flatMap((dimension, i) => {
    const isFree = initialPrices[i] === 0n && minimumPrices[i] === 0n;
    if (isFree || targets[i] !== 0) return [];
    return [`fees.targets[${i}]: is 0: the price of ${dimension} could only rise, with every transaction`];
  });
}

/** The smallest useful transaction. */
export function plainTransferUnits(): Units {
  return unitsOfAction({ kind: 'transfer', to: NO_ACCOUNT, amount: 1n });
}

function unitsOfAction(action: Action): Units {
  const transaction: Transaction = {
    body: {
      genesisHash: asId<GenesisHash>(new Uint8Array(ID_BYTES)),
      sender: NO_ACCOUNT,
      expiryMs: 0,
      salt: new Uint8Array(SALT_BYTES),
      maxFee: 0n,
      actions: [action],
    },
    auth: { scheme: 'ed25519', signature: new Uint8Array(ED25519_SIGNATURE_BYTES) },
  };
  return unitsOf(transaction, transactionCodec.encode(transaction).length);
}
