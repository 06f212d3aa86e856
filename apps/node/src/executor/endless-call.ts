import { manifestsOf } from '@slipstream/node-home/applications';
import { to0x } from '@slipstream/primitives';
import { NodeError } from '../errors.ts';
import type { EndlessCall } from './call-watch.ts';

/** Why a node stops that met a call which does not end. `artifacts` in the order of genesis. */
export function endlessCallError(
  { transactionId, application, action }: EndlessCall,
  artifacts: readonly Uint8Array[],
): NodeError {
  const manifest = manifestsOf(artifacts)[application];
  const name = manifest?.name ?? `application ${application}`;
  const called = `${name}.${manifest?.actions.find(({ number }) => number === action)?.name ?? action}`;
  const transaction = to0x(transactionId);
  const message =
    `transaction ${transaction} calls ${called}, which has run for more than 10 s: it does what ticks do not count, such as the product of ` +
    'huge integers. The node signs nothing more and stops, as others do that execute the block. Starting it again meets the call again, unless ' +
    `the block lost to another. Tell the other operators: ${name} needs a repair, and the chain a program that they agree on`;
  return new NodeError('node-failed', message, { transaction, application: name, action: called });
}
