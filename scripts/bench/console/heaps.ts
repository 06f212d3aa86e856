/**
 * Memory of a page: its own heap and those of its workers, each after a collection.
 *
 *   browser --attach--> page, workers --collect, measure--> sum in MB
 *
 * Playwright's protocol sessions reach pages only; workers need wrapped messages.
 */
import type { Browser, CDPSession, Page } from 'playwright-core';

export interface Heaps {
  /** MB of 10^6 bytes. */
  usedMb(): Promise<number>;
}

type Command = (method: string) => Promise<unknown>;

const ANSWER_MS_MAX = 30_000;

export async function watchHeaps(browser: Browser, page: Page): Promise<Heaps> {
  const own = await page.context().newCDPSession(page);
  const commands: Command[] = [(method) => own.send(method as 'Runtime.getHeapUsage')];
  const session = await browser.newBrowserCDPSession();
  const { targetInfos } = await session.send('Target.getTargets');
  const workers = targetInfos.filter(
    ({ type, url }) => type === 'worker' && url.startsWith(new URL(page.url()).origin),
  );
  if (workers.length === 0) throw new Error('the page has no worker: its stream should live in one');
  for (const { targetId } of workers) {
    const { sessionId } = await session.send('Target.attachToTarget', { targetId, flatten: false });
    commands.push(wrapped(session, sessionId));
  }
  return {
    async usedMb() {
      let bytes = 0;
      for (const command of commands) {
        await command('HeapProfiler.collectGarbage');
        const { usedSize } = (await command('Runtime.getHeapUsage')) as { usedSize: number };
        bytes += usedSize;
      }
      return bytes / 1e6;
    },
  };
}

/** To a target that only wrapped messages reach. */
function wrapped(session: CDPSession, sessionId: string): Command {
  let last = 0;
  return (method) => {
    const id = ++last;
    const answer = new Promise<unknown>((resolve, reject) => {
      const late = setTimeout(() => reject(new Error(`no answer to ${method}`)), ANSWER_MS_MAX);
      session.on('Target.receivedMessageFromTarget', function take(event): void {
        const message = JSON.parse(event.message) as { readonly id?: number; readonly result?: unknown };
        if (event.sessionId !== sessionId || message.id !== id) return;
        session.off('Target.receivedMessageFromTarget', take);
        clearTimeout(late);
        resolve(message.result);
      });
    });
    const message = JSON.stringify({ id, method });
    return session.send('Target.sendMessageToTarget', { sessionId, message }).then(() => answer);
  };
}
