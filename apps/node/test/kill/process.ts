/** node process.ts ROOT OPERATION PATH NTH before|after: sends itself SIGKILL at that call. */
import { writeSync } from 'node:fs';
import { createDisk } from '@slipstream/platform';
import { deadlyDisk } from './deadly-disk.ts';
import { live, openStore } from './life.ts';

const [root = '', ...death] = process.argv.slice(2);
await live(await openStore(deadlyDisk(createDisk({ root }), death)), (number) => void writeSync(1, `${number}\n`));
