import { manifestsOf } from '@slipstream/node-home/applications';
import { to0x } from '@slipstream/primitives';
import { NodeError } from '../errors.ts';
import type { EndlessCall } from './call-watch.ts';

export interface NamedCall {
  /** Name. */
  readonly application: string;
  readonly action: number;
  /** Of the action. */
  readonly name: string;
  readonly transaction: string;
}

/** `applications`: artifacts in the order of genesis; `accepted`: of later epochs, which may have actions that those lack. */
export function namedCall(
  { transactionId, application: number, action }: EndlessCall,
  applications: readonly Uint8Array[],
  accepted: readonly Uint8Array[],
): NamedCall {
  const application = manifestsOf(applications)[number]?.name ?? `application ${number}`;
  const versions = manifestsOf([...applications, ...accepted]).filter(({ name }) => name === application);
  const found = versions.flatMap(({ actions }) => actions).find((each) => each.number === action);
  return { application, action, name: found?.name ?? `${action}`, transaction: to0x(transactionId) };
}

/** Why a node stops that met a call which does not end. */
export function endlessCallError({ application, name, transaction }: NamedCall): NodeError {
  const called = `${application}.${name}`;
  const message =
    `transaction ${transaction} calls ${called}, which has run for more than 10 s: it does what ticks do not count, such as the product of ` +
    'huge integers. The node signs nothing more and stops, as others do that execute the block. The action is in quarantine here: started again, ' +
    'the node takes no such call into its pool, and leaves this one out of its own blocks. It meets it again only in a block of another leader, or in one ' +
    `that is final. Tell the other operators: ${application} needs a repair, and the chain a program that they agree on`;
  return new NodeError('node-failed', message, { transaction, application, action: called });
}
