/** What a node that stopped for a digest mismatch leaves in its data folder, for its operator and for those who look for the cause. */
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DATA } from '@slipstream/node-home';
import { to0x } from '@slipstream/primitives';
import { certificateCodec, type StateCertificate } from '@slipstream/types';

interface Divergence {
  readonly height: number;
  readonly report: string;
}

export async function writeDivergence(folder: string, certified: StateCertificate, report: string): Promise<void> {
  const { height, blockId, stateDigest } = certified.subject;
  const content = {
    height,
    blockId: to0x(blockId),
    certifiedDigest: to0x(stateDigest),
    certificate: to0x(certificateCodec.encode(certified)),
    report,
  };
  await writeFile(join(folder, DATA.divergence), `${JSON.stringify(content, undefined, 2)}\n`, { flush: true });
}

/** Undefined: this node has not stopped for one since its data was rebuilt. */
export async function readDivergence(folder: string): Promise<Divergence | undefined> {
  const path = join(folder, DATA.divergence);
  return existsSync(path) ? (JSON.parse(await readFile(path, 'utf8')) as Divergence) : undefined;
}
