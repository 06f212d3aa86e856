import { to0x } from '@slipstream/primitives';
import type { CredentialJson, IdentityView, SessionView } from '@slipstream/schema';
import {
  accountKeyText,
  accountOfCredential,
  type Credential,
  credentialCodec,
  type GrantId,
  idFromHex,
  requireAccount,
  scopeActions,
} from '@slipstream/types';
import { type Answer, type Handler, json, refuse } from '../answer.ts';
import type { NodeBackend, SessionState } from '../backend.ts';
import { revalidatedHeaders } from '../caching.ts';
import { wantsProof, withProof } from './state-proofs.ts';

type SessionRoute = 'identity' | 'session' | 'credential';

export function createSessionHandlers(backend: NodeBackend): Readonly<Record<SessionRoute, Handler>> {
  return {
    async identity({ params }) {
      const anchor = requireAccount(params.account ?? '');
      const { devices, height } = await backend.identity(anchor);
      const view: IdentityView = { anchor: accountKeyText(anchor), devices: devices.map(accountKeyText), height };
      return json(view);
    },

    async session(request) {
      const id = idFromHex<GrantId>(request.params.id ?? '');
      const view = (session: SessionState | undefined) =>
        session === undefined ? refuse('session-unknown') : json(sessionView(id, session));
      if (wantsProof(request)) return withProof(backend, request, await backend.proven.session(id), view);
      const found = await backend.session(id);
      return view(found.type === 'found' ? found.value : undefined);
    },

    async credential({ params }): Promise<Answer> {
      const id = idFromHex<GrantId>(params.id ?? '');
      const found = await backend.credential(id);
      switch (found.type) {
        case 'found': {
          // The credential's committee certificate is renewed; with its expiry in the tag an expired one is not reused.
          const tag = `${to0x(id)}-${found.value.root?.expiryMs ?? 'own'}`;
          return json(credentialJson(id, found.value), 200, revalidatedHeaders(tag));
        }
        case 'unknown':
          return refuse('session-unknown');
        case 'pruned':
          return refuse('pruned');
        case 'not-ready':
          return refuse('proof-not-ready');
        case 'refused':
          return refuse('conflict', { detail: found.detail });
        default:
          return found satisfies never;
      }
    },
  };
}

function sessionView(id: GrantId, session: SessionState): SessionView {
  const { revoked, expiryMs, nowMs } = session;
  return {
    id: to0x(id),
    status: revoked ? 'revoked' : expiryMs <= nowMs ? 'expired' : 'active',
    account: accountKeyText(session.account),
    owner: accountKeyText(session.owner),
    sessionKey: to0x(session.sessionKey),
    scope: [...scopeActions(session.scope)],
    spendLimit: session.limit.toString(),
    spent: session.spent.toString(),
    expiryMs,
    actsHere: session.actsHere,
    transactionId: to0x(session.transactionId),
    height: session.height,
  };
}

function credentialJson(id: GrantId, credential: Credential): CredentialJson {
  const { grant, root } = credential;
  return {
    id: to0x(id),
    grant: {
      issuer: to0x(grant.issuer),
      target: to0x(grant.target),
      pseudonym: to0x(grant.pseudonym),
      service: grant.service,
      sessionKey: to0x(grant.sessionKey),
      scope: [...scopeActions(grant.scope)],
      spendLimit: grant.spendLimit.toString(),
      expiryMs: grant.expiryMs,
    },
    account: accountKeyText(accountOfCredential(credential)),
    rootKey: root ? to0x(root.key) : null,
    committeeExpiryMs: root?.expiryMs ?? null,
    ssz: to0x(credentialCodec.encode(credential)),
  };
}
