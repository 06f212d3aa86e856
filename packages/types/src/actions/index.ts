/**
 * The table of actions. A new one needs a definition here (its own file) and a rule in packages/execution. Codec, JSON, schema and units follow
 * from the definition.
 */
import type { Units } from '../units.ts';
import { advanceIssuer } from './advance-issuer.ts';
import { approve, revoke } from './approvals.ts';
import { call } from './call.ts';
import type { ActionDefinition, ActionJsonOf, ActionOf } from './definition.ts';
import { addDevice, removeDevice } from './devices.ts';
import { grantSession } from './grant-session.ts';
import { leave } from './leave.ts';
import { propose } from './propose.ts';
import { ready } from './ready.ts';
import { register } from './register.ts';
import { reportEquivocation } from './report-equivocation.ts';
import { revokeSession } from './revoke-session.ts';
import { rotateKeys } from './rotate-keys.ts';
import { setData } from './set-data.ts';
import { transfer } from './transfer.ts';
import { transferMany } from './transfer-many.ts';

export const ACTIONS = {
  transfer,
  transferMany,
  setData,
  addDevice,
  removeDevice,
  grantSession,
  revokeSession,
  propose,
  approve,
  revoke,
  ready,
  rotateKeys,
  leave,
  reportEquivocation,
  advanceIssuer,
  register,
  call,
} as const;

export type ActionKind = keyof typeof ACTIONS;
type ActionOfKind<K extends ActionKind> = ActionOf<(typeof ACTIONS)[K]>;
export type Action = { [K in ActionKind]: ActionOfKind<K> }[ActionKind];
export type ActionJson = { [K in ActionKind]: ActionJsonOf<(typeof ACTIONS)[K]> }[ActionKind];

export type Transfer = ActionOfKind<'transfer'>;
export type TransferMany = ActionOfKind<'transferMany'>;
export type SetData = ActionOfKind<'setData'>;
export type AddDevice = ActionOfKind<'addDevice'>;
export type RemoveDevice = ActionOfKind<'removeDevice'>;
export type { GrantSession } from './grant-session.ts';
export type RevokeSession = ActionOfKind<'revokeSession'>;
export type { Propose } from './propose.ts';
export type Approve = ActionOfKind<'approve'>;
export type Revoke = ActionOfKind<'revoke'>;
export type Ready = ActionOfKind<'ready'>;
export type RotateKeys = ActionOfKind<'rotateKeys'>;
export type Leave = ActionOfKind<'leave'>;
export type ReportEquivocation = ActionOfKind<'reportEquivocation'>;
export type { AdvanceIssuer } from './advance-issuer.ts';
export type Register = ActionOfKind<'register'>;
export type { Call } from './call.ts';

/** Of the kinds that declare them. */
export function declaredUnits(action: Action): Units | undefined {
  const { units } = ACTIONS[action.kind] as unknown as ActionDefinition<Action>;
  return units?.(action);
}

export { APPLICATION_NAME } from './call.ts';
export { SESSION_RECORD_BYTES } from './costs.ts';
export { ANCHOR_DEVICES_MAX } from './devices.ts';
export { grantOf } from './grant-session.ts';
export * from './json.ts';
export { PROPOSAL_CHANGES_MAX } from './propose.ts';
export { REPORTED_ARTIFACTS_MAX } from './ready.ts';
export { DATA_NAME_BYTES_MAX } from './set-data.ts';
export { TRANSFER_MANY_OUTPUTS_MAX } from './transfer-many.ts';
