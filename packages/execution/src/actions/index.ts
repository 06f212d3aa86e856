/** The table of actions: an action without a rule does not compile. */
import type { Action, ActionKind } from '@slipstream/types';
import type { Scratch } from '../overlay.ts';
import type { StateKey } from '../state-keys.ts';
import { advanceIssuerRule } from './advance-issuer.ts';
import { callRule } from './call.ts';
import { addDeviceRule, removeDeviceRule } from './devices.ts';
import { grantSessionRule } from './grant-session.ts';
import { approveRule, proposeRule, revokeRule } from './proposals.ts';
import { registerRule } from './register.ts';
import { revokeSessionRule } from './revoke-session.ts';
import type { ActionContext, ActionRule, Applied, Sender } from './rule.ts';
import { setDataRule } from './set-data.ts';
import { transferRule } from './transfer.ts';
import { transferManyRule } from './transfer-many.ts';
import { leaveRule, readyRule, reportEquivocationRule, rotateKeysRule } from './validators.ts';

const ACTION_RULES: { readonly [K in ActionKind]: ActionRule<Extract<Action, { kind: K }>> } = {
  transfer: transferRule,
  transferMany: transferManyRule,
  setData: setDataRule,
  addDevice: addDeviceRule,
  removeDevice: removeDeviceRule,
  grantSession: grantSessionRule,
  revokeSession: revokeSessionRule,
  propose: proposeRule,
  approve: approveRule,
  revoke: revokeRule,
  ready: readyRule,
  rotateKeys: rotateKeysRule,
  leave: leaveRule,
  reportEquivocation: reportEquivocationRule,
  advanceIssuer: advanceIssuerRule,
  register: registerRule,
  call: callRule,
};

/** TypeScript cannot relate the entry to the action's kind through a union. */
function ruleOf(action: Action): ActionRule<Action> {
  return ACTION_RULES[action.kind] as unknown as ActionRule<Action>;
}

export function actionKeys(sender: Sender, action: Action): readonly StateKey[] {
  return ruleOf(action).keys(sender, action);
}

export function actionSpends(action: Action): bigint {
  return ruleOf(action).spends?.(action) ?? 0n;
}

export function applyAction(
  scratch: Scratch,
  action: Action,
  keys: readonly StateKey[],
  context: ActionContext,
): Applied {
  return ruleOf(action).apply(scratch, action, keys, context);
}
