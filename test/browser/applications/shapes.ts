/** One action with each form that nests: its event repeats the input. */
import {
  account,
  action,
  application,
  cell,
  choice,
  event,
  list,
  option,
  record,
  text,
  u8,
  u32,
} from '@slipstream/app';

const sent = cell(u32, { empty: 0 });

const parts = list(record({ to: account, share: u8 }), 4);
const way = choice({ post: { street: text(20) }, pickup: { counter: u8 } });

const Sent = event({ by: account, note: option(text(20)), parts, way });

const send = action(
  { note: option(text(20)), parts, way },
  {
    run({ sender: by }, input) {
      sent.set(sent.get() + 1);
      Sent.emit({ by, note: input.note, parts: input.parts, way: input.way });
    },
  },
);

export default application({
  name: 'shapes',
  version: 1,
  state: { sent },
  actions: { send },
  events: { Sent },
});
