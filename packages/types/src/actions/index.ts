/**
 * The table of actions. A new one needs a file here (codec and JSON form), an entry below, units in fee-units.ts, a rule in
 * packages/execution and a schema in packages/schema.
 */
import type { Codec } from '@slipstream/primitives';
import {
  type AdvanceIssuer,
  type AdvanceIssuerJson,
  advanceIssuerCodec,
  advanceIssuerFromJson,
  advanceIssuerToJson,
} from './advance-issuer.ts';
import {
  APPROVE_FORM,
  type Approve,
  type ApproveJson,
  REVOKE_FORM,
  type Revoke,
  type RevokeJson,
} from './approvals.ts';
import { type Call, type CallJson, callCodec, callFromJson, callToJson } from './call.ts';
import {
  ADD_DEVICE_FORM,
  type AddDevice,
  type AddDeviceJson,
  REMOVE_DEVICE_FORM,
  type RemoveDevice,
  type RemoveDeviceJson,
} from './devices.ts';
import {
  type GrantSession,
  type GrantSessionJson,
  grantSessionCodec,
  grantSessionFromJson,
  grantSessionToJson,
} from './grant-session.ts';
import { type Leave, type LeaveJson, leaveCodec, leaveFromJson, leaveToJson } from './leave.ts';
import { type Propose, type ProposeJson, proposeCodec, proposeFromJson, proposeToJson } from './propose.ts';
import { type Ready, type ReadyJson, readyCodec, readyFromJson, readyToJson } from './ready.ts';
import { type Register, type RegisterJson, registerCodec, registerFromJson, registerToJson } from './register.ts';
import {
  type ReportEquivocation,
  type ReportEquivocationJson,
  reportEquivocationCodec,
  reportEquivocationFromJson,
  reportEquivocationToJson,
} from './report-equivocation.ts';
import {
  type RevokeSession,
  type RevokeSessionJson,
  revokeSessionCodec,
  revokeSessionFromJson,
  revokeSessionToJson,
} from './revoke-session.ts';
import {
  type RotateKeys,
  type RotateKeysJson,
  rotateKeysCodec,
  rotateKeysFromJson,
  rotateKeysToJson,
} from './rotate-keys.ts';
import { type SetData, type SetDataJson, setDataCodec, setDataFromJson, setDataToJson } from './set-data.ts';
import { type Transfer, type TransferJson, transferCodec, transferFromJson, transferToJson } from './transfer.ts';
import {
  type TransferMany,
  type TransferManyJson,
  transferManyCodec,
  transferManyFromJson,
  transferManyToJson,
} from './transfer-many.ts';

export type Action =
  | Transfer
  | TransferMany
  | SetData
  | AddDevice
  | RemoveDevice
  | GrantSession
  | RevokeSession
  | Propose
  | Approve
  | Revoke
  | Ready
  | RotateKeys
  | Leave
  | ReportEquivocation
  | AdvanceIssuer
  | Register
  | Call;
export type ActionKind = Action['kind'];
type ActionJson =
  | TransferJson
  | TransferManyJson
  | SetDataJson
  | AddDeviceJson
  | RemoveDeviceJson
  | GrantSessionJson
  | RevokeSessionJson
  | ProposeJson
  | ApproveJson
  | RevokeJson
  | ReadyJson
  | RotateKeysJson
  | LeaveJson
  | ReportEquivocationJson
  | AdvanceIssuerJson
  | RegisterJson
  | CallJson;

interface ActionForm<A extends Action> {
  /** Never reused. */
  readonly tag: number;
  readonly codec: Codec<A>;
  toJson(action: A): ActionJson;
  fromJson(json: Extract<ActionJson, { kind: A['kind'] }>): A;
}

export const ACTION_FORMS: { readonly [K in ActionKind]: ActionForm<Extract<Action, { kind: K }>> } = {
  transfer: { tag: 1, codec: transferCodec, toJson: transferToJson, fromJson: transferFromJson },
  transferMany: { tag: 2, codec: transferManyCodec, toJson: transferManyToJson, fromJson: transferManyFromJson },
  setData: { tag: 3, codec: setDataCodec, toJson: setDataToJson, fromJson: setDataFromJson },
  addDevice: { tag: 4, ...ADD_DEVICE_FORM },
  removeDevice: { tag: 5, ...REMOVE_DEVICE_FORM },
  grantSession: { tag: 6, codec: grantSessionCodec, toJson: grantSessionToJson, fromJson: grantSessionFromJson },
  revokeSession: { tag: 7, codec: revokeSessionCodec, toJson: revokeSessionToJson, fromJson: revokeSessionFromJson },
  propose: { tag: 8, codec: proposeCodec, toJson: proposeToJson, fromJson: proposeFromJson },
  approve: { tag: 9, ...APPROVE_FORM },
  revoke: { tag: 10, ...REVOKE_FORM },
  ready: { tag: 11, codec: readyCodec, toJson: readyToJson, fromJson: readyFromJson },
  rotateKeys: { tag: 12, codec: rotateKeysCodec, toJson: rotateKeysToJson, fromJson: rotateKeysFromJson },
  leave: { tag: 13, codec: leaveCodec, toJson: leaveToJson, fromJson: leaveFromJson },
  reportEquivocation: {
    tag: 14,
    codec: reportEquivocationCodec,
    toJson: reportEquivocationToJson,
    fromJson: reportEquivocationFromJson,
  },
  advanceIssuer: {
    tag: 15,
    codec: advanceIssuerCodec,
    toJson: advanceIssuerToJson,
    fromJson: advanceIssuerFromJson,
  },
  register: { tag: 16, codec: registerCodec, toJson: registerToJson, fromJson: registerFromJson },
  call: { tag: 17, codec: callCodec, toJson: callToJson, fromJson: callFromJson },
};

/** TypeScript cannot relate entry and kind through a union. */
function formOf(kind: ActionKind): ActionForm<Action> {
  return ACTION_FORMS[kind] as unknown as ActionForm<Action>;
}

export interface ActionWire {
  readonly tag: number;
  readonly body: Uint8Array;
}

const KIND_OF_TAG = new Map(Object.entries(ACTION_FORMS).map(([kind, form]) => [form.tag, kind as ActionKind]));

export function actionToWire(action: Action): ActionWire {
  const form = formOf(action.kind);
  return { tag: form.tag, body: form.codec.encode(action) };
}

/** Throws on an unknown tag or a non-canonical body. */
export function actionFromWire(wire: ActionWire): Action {
  const kind = KIND_OF_TAG.get(wire.tag);
  if (kind === undefined) throw new RangeError(`unknown action ${wire.tag}`);
  const decoded = formOf(kind).codec.decode(wire.body);
  if (!decoded.ok) throw new RangeError(decoded.error.message);
  return decoded.value;
}

export function actionToJson(action: Action): ActionJson {
  return formOf(action.kind).toJson(action);
}

/** Throws RangeError with the reason. */
export function actionFromJson(json: ActionJson): Action {
  const form = Object.hasOwn(ACTION_FORMS, json.kind) ? formOf(json.kind) : undefined;
  if (!form) throw new RangeError(`unknown action "${String(json.kind).slice(0, 32)}"`);
  return form.fromJson(json as never);
}

export * from './advance-issuer.ts';
export * from './approvals.ts';
export * from './call.ts';
export * from './devices.ts';
export * from './grant-session.ts';
export * from './json.ts';
export * from './leave.ts';
export * from './propose.ts';
export * from './ready.ts';
export * from './register.ts';
export * from './report-equivocation.ts';
export * from './revoke-session.ts';
export * from './rotate-keys.ts';
export * from './set-data.ts';
export * from './transfer.ts';
export * from './transfer-many.ts';
