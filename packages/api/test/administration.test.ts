import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectAnswer, expectProblem } from './answers.ts';
import { ARTIFACT, PEER, REFUSED_ARTIFACT } from './fake-node.ts';
import { ADMIN_TOKEN, type RunningApi, runApi } from './running-api.ts';

const authorization = `Bearer ${ADMIN_TOKEN}`;

let api: RunningApi;
beforeAll(async () => {
  api = await runApi();
});
afterAll(() => api.stop());

const post = (path: string, body: unknown, headers: Record<string, string>) =>
  fetch(`${api.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });

describe('administration', () => {
  it('requires the token', async () => {
    for (const header of [{}, { authorization: 'Bearer wrong' }, { authorization: 'Basic abc' }]) {
      const response = await post(`/v1/admin/peers/${PEER}/block`, {}, header);
      expect(response.headers.get('www-authenticate')).toBe('Bearer');
      await expectProblem(response, 401, 'unauthorized');
    }
    expect(api.node.blockedPeers.size).toBe(0);
  });

  it('rejects every request when no token is configured', async () => {
    const closed = await runApi({ admin: {} });
    const response = await fetch(`${closed.url}/v1/admin/peers/${PEER}/unblock`, {
      method: 'POST',
      headers: { authorization: 'Bearer ' },
    });
    await expectProblem(response, 401, 'unauthorized');
    await closed.stop();
  });

  it('blocks a peer, reports a peer that is already blocked, and unblocks it', async () => {
    const path = `/v1/admin/peers/${PEER}`;
    await expectAnswer('blockPeer', await post(`${path}/block`, { reason: 'test' }, { authorization }));
    await expectProblem(await post(`${path}/block`, {}, { authorization }), 409, 'conflict');
    const bare = await fetch(`${api.url}${path}/unblock`, { method: 'POST', headers: { authorization } });
    await expectAnswer('unblockPeer', bare);
    await expectProblem(await post(`${path}/unblock`, {}, { authorization }), 404, 'peer-unknown');
  });

  it('accepts an artifact that is here, and says why one cannot follow', async () => {
    const path = (hash: string) => `/v1/admin/artifacts/${hash}/accept`;
    await expectProblem(await post(path(ARTIFACT), {}, {}), 401, 'unauthorized');
    const answer = await expectAnswer('acceptArtifact', await post(path(ARTIFACT), {}, { authorization }));
    expect(answer).toEqual({ hash: ARTIFACT, name: 'token', version: 2, differences: ['+ query changes'] });
    const refused = await post(path(REFUSED_ARTIFACT), {}, { authorization });
    await expectProblem(refused, 409, 'artifact-refused');
    await expectProblem(await post(path(`0x${'00'.repeat(32)}`), {}, { authorization }), 404, 'artifact-unknown');
    await expectProblem(await post(path('0xab'), {}, { authorization }), 400, 'bad-parameter');
    const audited = await fetch(`${api.url}/v1/admin/audit`, { headers: { authorization } });
    expect(await audited.text()).toContain('accept-artifact');
  });

  it('puts an action into quarantine, lists it without a token, and lifts it', async () => {
    const path = (action: string) => `/v1/admin/quarantine/token/${action}`;
    await expectProblem(await post(path('mint'), {}, {}), 401, 'unauthorized');
    await expectProblem(await post(path('melt'), {}, { authorization }), 404, 'action-unknown');
    const put = await expectAnswer('quarantineAction', await post(path('mint'), {}, { authorization }));
    expect(put).toMatchObject({ items: [{ application: 'token', name: 'mint', by: 'operator' }] });
    expect(await expectAnswer('quarantine', await fetch(`${api.url}/v1/quarantine`))).toEqual(put);
    await expectAnswer('liftQuarantine', await post(`${path('mint')}/lift`, {}, { authorization }));
    await expectProblem(await post(`${path('mint')}/lift`, {}, { authorization }), 404, 'action-unknown');
  });

  it('lists artifacts without a token', async () => {
    const answer = await expectAnswer('artifacts', await fetch(`${api.url}/v1/artifacts`));
    expect(answer).toMatchObject({ artifacts: [{ hash: ARTIFACT, state: 'fetched' }] });
  });
});
