/** The account of this chain that pays for what the node sends by itself. */

import type { Dissemination } from '@slipstream/dissemination';
import { accountStateKey, decodeBalance } from '@slipstream/execution';
import type { Clock, Random, Telemetry } from '@slipstream/ports';
import { type Action, accountKeyText, type GenesisHash } from '@slipstream/types';
import type { ReadStateValues } from '../executor/state-reader.ts';
import { createTransactionSigner, type Prices } from './signed-transaction.ts';

export interface NodeAccount {
  /** As users write it. */
  readonly name: string;
  /** Of committed state, as read last. */
  balance(): bigint | undefined;
  /** What it tried to pay last was more than the balance. */
  isPoor(): boolean;
  readBalance(): Promise<void>;
  /** `poor`: the balance is below what it may cost. */
  send(action: Action): Promise<'sent' | 'refused' | 'poor'>;
}

interface AccountComponents {
  readonly clock: Pick<Clock, 'wallMs'>;
  readonly random: Pick<Random, 'bytes'>;
  readonly telemetry: Pick<Telemetry, 'log' | 'count' | 'gauge'>;
  readonly read: ReadStateValues;
  readonly prices: () => Prices;
  readonly submit: Dissemination['submitMany'];
}

export function createNodeAccount(
  { clock, random, telemetry, read, prices, submit }: AccountComponents,
  setting: { readonly genesisHash: GenesisHash; readonly secret: Uint8Array },
): NodeAccount {
  const signer = createTransactionSigner({ clock, random }, setting);
  const name = accountKeyText(signer.account);
  let balance: bigint | undefined;
  let needed = 0n;

  async function readBalance(): Promise<void> {
    const { values } = await read([accountStateKey(signer.account).bytes]);
    balance = decodeBalance(values[0]);
    telemetry.gauge('account_balance', Number(balance));
  }

  return {
    name,
    balance: () => balance,
    isPoor: () => balance !== undefined && balance < needed,
    readBalance,
    async send(action) {
      const { bytes, maxFee } = signer.sign([action], prices());
      needed = maxFee;
      await readBalance();
      if (balance !== undefined && balance < needed) return 'poor';
      const [result] = await submit([bytes]);
      const { kind } = action;
      if (result?.type === 'rejected') {
        telemetry.log('warn', `${kind} of this node was refused: ${result.message}`, { kind, reason: result.reason });
        return 'refused';
      }
      telemetry.count('account_transactions', 1, { kind });
      telemetry.log('info', `sent ${kind}, paid by ${name}`, { kind });
      return 'sent';
    },
  };
}
