/** advanceIssuer: fails with `issuer-unknown`, `issuer-stale` or `issuer-unproven`. Its signatures were checked when the chunk arrived. */
import { bytesEqual } from '@slipstream/primitives';
import { type AdvanceIssuer, certifiedMembersHash } from '@slipstream/types';
import { readEpoch } from '../epochs/current-epoch.ts';
import { CHANGES_KEY } from '../epochs/keys.ts';
import { readHead } from '../epochs/records.ts';
import type { Scratch } from '../overlay.ts';
import { advance, issuerStateKey, readIssuer } from '../sessions/issuers.ts';
import type { StateKey } from '../state-keys.ts';
import { type ActionRule, APPLIED } from './rule.ts';

export const advanceIssuerRule: ActionRule<AdvanceIssuer> = {
  keys: (_, { rootKey, issuer }) => [issuerStateKey(rootKey, issuer), CHANGES_KEY],
  apply(scratch, { rootKey, root, members, handover }, keys, { timestampMs }) {
    if (!isTrusted(scratch, rootKey)) return { ok: false, code: 'issuer-unknown' };
    const [key] = keys as readonly [StateKey, StateKey];
    const known = readIssuer(scratch, key);
    const from = certifiedMembersHash(members);
    const { epoch } = handover.certificate.subject;
    if (known !== undefined) {
      // Epochs between may have changed parameters alone.
      if (epoch < known.epoch || !bytesEqual(known.hash, from)) return { ok: false, code: 'issuer-stale' };
    } else if (root === undefined || root.expiryMs <= timestampMs) {
      return { ok: false, code: 'issuer-unproven' };
    }
    const hash = certifiedMembersHash(handover.members ?? members);
    advance(scratch, key, { from, to: { epoch: epoch + 1, hash }, nowMs: timestampMs });
    return APPLIED;
  },
};

function isTrusted(scratch: Scratch, rootKey: Uint8Array): boolean {
  const { parameters } = readHead(scratch, readEpoch(scratch).number);
  return parameters.trustedIssuers.some((key) => bytesEqual(key, rootKey));
}
