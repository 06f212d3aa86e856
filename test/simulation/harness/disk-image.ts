import type { KeyValueEntry } from '@slipstream/ports';
import { utf8 } from '@slipstream/primitives';
import type { SimNode } from '@slipstream/simulator';

export interface DiskImage {
  readonly files: ReadonlyMap<string, Uint8Array>;
  readonly ledger: readonly KeyValueEntry[];
}

const LEDGER = 'ledger';
const ENTRIES_MAX = 1_000_000;

function whole(node: SimNode<unknown>): Promise<readonly KeyValueEntry[]> {
  const to = new Uint8Array(8).fill(0xff);
  return node
    .store(LEDGER)
    .mount()
    .range({ from: utf8(''), to, limit: ENTRIES_MAX });
}

/** The node may be running. */
export async function takeImage(node: SimNode<unknown>): Promise<DiskImage> {
  const files = new Map(node.disk.paths().map((path) => [path, node.disk.contents(path) as Uint8Array]));
  return { files, ledger: await whole(node) };
}

/** The node must be stopped. Durable. */
export async function restoreImage(node: SimNode<unknown>, { files, ledger }: DiskImage): Promise<void> {
  removeFiles(node, () => true);
  for (const [path, bytes] of files) node.disk.replaceContents(path, bytes);
  const store = node.store(LEDGER).mount();
  const present = await whole(node);
  await store.batch(
    [
      ...present.map(({ key }) => ({ type: 'delete' as const, key })),
      ...ledger.map(({ key, value }) => ({ type: 'put' as const, key, value })),
    ],
    { sync: true },
  );
}

/** The node must be stopped. */
export function removeFiles(node: SimNode<unknown>, which: (path: string) => boolean): void {
  for (const path of node.disk.paths().filter(which)) node.disk.removeContents(path);
}
