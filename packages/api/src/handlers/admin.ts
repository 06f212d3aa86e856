/**
 * Administration: a bearer token, loopback unless configured otherwise, and a log line for every act and every refusal.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { PeerKey, Telemetry } from '@slipstream/ports';
import { isLoopback } from '../addresses.ts';
import { type Answer, type ApiRequest, type Handler, json, refuse } from '../answer.ts';
import type { AdminOutcome, NodeBackend } from '../backend.ts';

export interface AdminRules {
  readonly token: string | undefined;
  readonly loopbackOnly: boolean;
}

export interface AdminHandlers {
  readonly blockPeer: Handler;
  readonly unblockPeer: Handler;
}

export function createAdminHandlers(
  { backend, telemetry }: { readonly backend: NodeBackend; readonly telemetry: Telemetry },
  rules: AdminRules,
): AdminHandlers {
  async function act(
    request: ApiRequest,
    name: string,
    run: (peer: PeerKey) => Promise<AdminOutcome>,
  ): Promise<Answer> {
    const { address, params } = request;
    const refusal = refusalOf(request, rules);
    if (refusal !== undefined) {
      telemetry.log('warn', 'an admin request was refused', { act: name, address, reason: refusal });
      return refuse(refusal);
    }
    const peer = (params.peer ?? '').slice(2).toLowerCase() as PeerKey;
    const outcome = await run(peer);
    telemetry.log('info', 'an admin act', { act: name, address, peer: `0x${peer}`, outcome: outcome.type });
    switch (outcome.type) {
      case 'done':
        return json({ done: true, peer: `0x${peer}` });
      case 'unknown':
        return refuse('peer-unknown');
      case 'refused':
        return refuse('conflict', { detail: outcome.detail });
      default:
        return outcome satisfies never;
    }
  }

  return {
    blockPeer: (request) => {
      const { reason = 'blocked by an operator' } = (request.body ?? {}) as { readonly reason?: string };
      return act(request, 'block peer', (peer) => backend.blockPeer(peer, reason));
    },
    unblockPeer: (request) => act(request, 'unblock peer', (peer) => backend.unblockPeer(peer)),
  };
}

function refusalOf(
  { address, headers }: ApiRequest,
  { token, loopbackOnly }: AdminRules,
): 'admin-remote' | 'unauthorized' | undefined {
  if (loopbackOnly && !isLoopback(address)) return 'admin-remote';
  const [, given] = /^Bearer ([!-~]{1,256})$/i.exec(String(headers.authorization ?? '')) ?? [];
  return token !== undefined && given !== undefined && equalSecrets(given, token) ? undefined : 'unauthorized';
}

/** Takes as long whatever differs: compares digests. */
function equalSecrets(a: string, b: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}
