import { advanceIssuerCodec, advanceIssuerFromJson, advanceIssuerToJson } from './advance-issuer.ts';
import { APPROVE_FORM, REVOKE_FORM } from './approvals.ts';
import { callCodec, callFromJson, callToJson } from './call.ts';
import { ADD_DEVICE_FORM, REMOVE_DEVICE_FORM } from './devices.ts';
import { grantSessionCodec, grantSessionFromJson, grantSessionToJson } from './grant-session.ts';
import { leaveCodec, leaveFromJson, leaveToJson } from './leave.ts';
import { proposeCodec, proposeFromJson, proposeToJson } from './propose.ts';
import { readyCodec, readyFromJson, readyToJson } from './ready.ts';
import { registerCodec, registerFromJson, registerToJson } from './register.ts';
import {
  reportEquivocationCodec,
  reportEquivocationFromJson,
  reportEquivocationToJson,
} from './report-equivocation.ts';
import { revokeSessionCodec, revokeSessionFromJson, revokeSessionToJson } from './revoke-session.ts';
import { rotateKeysCodec, rotateKeysFromJson, rotateKeysToJson } from './rotate-keys.ts';
import { setDataCodec, setDataFromJson, setDataToJson } from './set-data.ts';
import { transferCodec, transferFromJson, transferToJson } from './transfer.ts';
import { transferManyCodec, transferManyFromJson, transferManyToJson } from './transfer-many.ts';

export const HAND_WRITTEN = {
  transfer: { codec: transferCodec, toJson: transferToJson, fromJson: transferFromJson },
  transferMany: { codec: transferManyCodec, toJson: transferManyToJson, fromJson: transferManyFromJson },
  setData: { codec: setDataCodec, toJson: setDataToJson, fromJson: setDataFromJson },
  addDevice: ADD_DEVICE_FORM,
  removeDevice: REMOVE_DEVICE_FORM,
  grantSession: { codec: grantSessionCodec, toJson: grantSessionToJson, fromJson: grantSessionFromJson },
  revokeSession: { codec: revokeSessionCodec, toJson: revokeSessionToJson, fromJson: revokeSessionFromJson },
  propose: { codec: proposeCodec, toJson: proposeToJson, fromJson: proposeFromJson },
  ready: { codec: readyCodec, toJson: readyToJson, fromJson: readyFromJson },
  approve: APPROVE_FORM,
  revoke: REVOKE_FORM,
  rotateKeys: { codec: rotateKeysCodec, toJson: rotateKeysToJson, fromJson: rotateKeysFromJson },
  leave: { codec: leaveCodec, toJson: leaveToJson, fromJson: leaveFromJson },
  reportEquivocation: {
    codec: reportEquivocationCodec,
    toJson: reportEquivocationToJson,
    fromJson: reportEquivocationFromJson,
  },
  advanceIssuer: { codec: advanceIssuerCodec, toJson: advanceIssuerToJson, fromJson: advanceIssuerFromJson },
  register: { codec: registerCodec, toJson: registerToJson, fromJson: registerFromJson },
  call: { codec: callCodec, toJson: callToJson, fromJson: callFromJson },
};
