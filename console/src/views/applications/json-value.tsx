/** A value of a form, as the node's JSON or a manifest reads it. */
import type { Json } from '@slipstream/app/program';
import type { ReactNode } from 'react';
import { Facts } from '../../design/facts.tsx';
import { Hex } from '../../design/hex.tsx';
import { href } from '../../shell/router.ts';

const ACCOUNT = /^0x0[123][0-9a-f]{64}$/;
const LONG_HEX = /^0x[0-9a-f]{20,}$/;

export function JsonValue({ value }: { readonly value: Json }): ReactNode {
  if (value === null) return <span className="soft">none</span>;
  if (typeof value === 'string') return <Text text={value} />;
  if (typeof value !== 'object') return String(value);
  if (Array.isArray(value)) {
    if (value.length === 0) return <span className="soft">empty</span>;
    return (
      <ol className="form-values">
        {(value as readonly Json[]).map((item, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a list as the chain has it, and two items may be equal
          <li key={i}>
            <JsonValue value={item} />
          </li>
        ))}
      </ol>
    );
  }
  return <Facts facts={Object.entries(value).map(([name, field]) => [name, <JsonValue key={name} value={field} />])} />;
}

function Text({ text }: { readonly text: string }) {
  if (ACCOUNT.test(text)) return <Hex value={text} href={href('explorer', 'account', text)} what="account" />;
  if (LONG_HEX.test(text)) return <Hex value={text} what="value" />;
  return text === '' ? <span className="soft">empty text</span> : text;
}
