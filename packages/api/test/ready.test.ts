/** A load balancer's log shows why a node is not ready. */
import { expect, test } from 'vitest';
import { runApi } from './running-api.ts';

test('/readyz lists each active alert on its own', async () => {
  const common = { severity: 'critical', threshold: 't', remedy: 'r', sinceMs: 1 } as const;
  const messages = ['no block was final for 11 s', 'validator 2 is offline'];
  const alerts = messages.map((message) => ({ ...common, rule: 'a', message }));
  const well = await runApi();
  const stuck = await runApi({
    backend: { status: async () => ({ ...(await well.node.status()), ready: false, alerts }) },
  });
  const said = (await (await fetch(`${stuck.url}/readyz`)).json()) as { detail: string };
  expect(said.detail).toMatch(/\. Alerts: no block was final for 11 s; validator 2 is offline\.$/);
  await Promise.all([well.stop(), stuck.stop()]);
});
