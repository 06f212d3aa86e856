/** node chunk-process.ts ROOT OPERATION PATH NTH before|after: stores chunks, and sends itself SIGKILL at that call. */
import { writeSync } from 'node:fs';
import { createDisk } from '@slipstream/platform';
import { live, openFiles } from './chunk-life.ts';
import { deadlyDisk } from './deadly-disk.ts';

const [root = '', ...death] = process.argv.slice(2);
const files = await openFiles(root, deadlyDisk(createDisk({ root }), death));
await live(files, 0, (height) => void writeSync(1, `${height}\n`));
