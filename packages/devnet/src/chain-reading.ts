import type { Client } from '@slipstream/client';

const PAGE = 100;

/** Ids of all blocks that the node has, by height. */
export async function blockIds(client: Client): Promise<ReadonlyMap<number, string>> {
  const ids = new Map<number, string>();
  let cursor: string | undefined;
  do {
    const { items, next } = await client.blocks({ limit: PAGE, ...(cursor !== undefined && { cursor }) });
    for (const { block } of items) ids.set(block.height, block.id);
    cursor = next ?? undefined;
  } while (cursor !== undefined);
  return ids;
}

/** Heights at which two nodes have different blocks. */
export function disagreements(a: ReadonlyMap<number, string>, b: ReadonlyMap<number, string>): readonly number[] {
  return [...a].filter(([height, id]) => b.has(height) && b.get(height) !== id).map(([height]) => height);
}

/** Whether the validator signed the finalization or the state certificate. */
export async function signedAt(client: Client, validator: number, height: number): Promise<boolean> {
  const { finalization, state } = await client.certificates(height);
  return [finalization, state].some((certificate) => certificate?.signers.includes(validator) ?? false);
}

const ASKED_AT_ONCE = 20;

/** Those that the node does not show as final with receipt and proof. */
export async function notFinal(client: Client, ids: readonly string[]): Promise<readonly string[]> {
  const missing: string[] = [];
  for (let at = 0; at < ids.length; at += ASKED_AT_ONCE) {
    const some = ids.slice(at, at + ASKED_AT_ONCE);
    const views = await Promise.all(some.map((id) => client.transaction(id).catch(() => undefined)));
    missing.push(...some.filter((_, i) => views[i]?.status !== 'final' || views[i]?.proof === undefined));
  }
  return missing;
}
