/** Runs a flight recording through the code that recorded it (docs/decisions/0021). Contacts no node. */
import { readFile } from 'node:fs/promises';
import { count, defineCommand, EXIT_FAILED, flag, inFolder } from '@slipstream/command-line';
import { type ReplayResult, replayRecording } from '@slipstream/flight-recorder';
import { type MemberOf, stepLines } from '../replay-events.ts';
import { createViewTimeline, viewLine } from '../replay-views.ts';

export const replayCommand = defineCommand({
  name: 'replay',
  summary: 'Replay a recording through consensus: print its views and check that it decides the same.',
  details:
    'Recordings are in data/recordings of a node; copy one before the node runs on, for old ones make way. ' +
    'Exits with 1 when a decision is not the recorded one, or the recording is damaged. With --json, one object a line.',
  positionals: [{ name: 'RECORDING', about: 'a file of data/recordings' }],
  options: {
    'until-view': count(undefined, [1, Number.MAX_SAFE_INTEGER], 'N', 'Stop when view N is left.'),
    events: flag('Every input and what it set off, instead of a line a view.'),
  },
  example: 'slipstream replay validator-0/data/recordings/001795243723435-00000.recording --until-view 40',
  async run({ options, arguments: [path = ''], terminal }) {
    const bytes = new Uint8Array(await readFile(inFolder(terminal, path)));
    const untilView = options['until-view'];
    let memberOf: MemberOf = () => undefined;
    const timeline = createViewTimeline((story) =>
      terminal.out(options.json ? JSON.stringify(story) : viewLine(story)),
    );
    const result = replayRecording(bytes, {
      ...(untilView === undefined ? {} : { untilView }),
      onHead: ({ committee }) => {
        const members = new Map<string, number>(committee.members.map(({ peerKey, index }) => [peerKey, index]));
        memberOf = (peer) => members.get(peer);
      },
      onStep: (step) => {
        if (!options.events) timeline.step(step);
        else if (options.json) terminal.out(JSON.stringify({ entry: step.entry, lines: stepLines(step, memberOf) }));
        else for (const line of stepLines(step, memberOf)) terminal.out(line);
      },
    });
    timeline.end();
    terminal.out(options.json ? JSON.stringify(jsonOf(result)) : resultText(result));
    return result.end.type === 'differs' || result.end.type === 'damaged' ? EXIT_FAILED : 0;
  },
});

function jsonOf({ end, equalEntries, entry, status, self }: ReplayResult) {
  const { view, finalizedHeight, certifiedHeight } = status;
  return { end, equalEntries, entry, self, view, finalizedHeight, certifiedHeight };
}

function resultText({ end, equalEntries, entry, status, self }: ReplayResult): string {
  const who = self === undefined ? 'A node that follows' : `Member ${self}`;
  const where = `${who}, in view ${status.view}, final up to height ${status.finalizedHeight}, certified up to ${status.certifiedHeight}.`;
  const equal = `${equalEntries} inputs had the effects that the node recorded.`;
  switch (end.type) {
    case 'view-reached':
      return `${where}\n${equal} Stopped at the view asked for.`;
    case 'assertion':
      return `${where}\n${equal} Then the core stopped itself, as it did in the node: ${end.message}\nInput #${entry}; --events shows it.`;
    case 'differs':
      return `${where}\n${equal} Input #${entry} had OTHER effects in the node: this is other code, or the recording was changed.`;
    case 'damaged':
      return `${where}\n${equal} The recording is damaged from entry #${entry} on: ${end.reason}.`;
    case 'whole': {
      const cut = end.cutBytes === 0 ? '' : ` ${end.cutBytes} bytes at the end were still being written.`;
      const last = end.stoppedInOrder
        ? 'The node was stopped here.'
        : 'Here the next file continues, or the process ended without being stopped.';
      return `${where}\n${equal} ${last}${cut}`;
    }
  }
}
