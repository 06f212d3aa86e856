import { ClientError } from '@slipstream/client';
import { type FormEvent, useState } from 'react';
import { Button, Field } from '../../design/button.tsx';
import { client, explain } from '../../node/client.ts';
import { go } from '../../shell/router.ts';
import { parseQuery } from './search.ts';

const UNCLEAR = 'Enter a height, an id of 32 bytes, or an account (0x01 and 64 hexadecimal digits).';

export function SearchForm() {
  const [text, setText] = useState('');
  const [reason, setReason] = useState<string>();
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setReason(await find(text));
  };
  return (
    <search>
      <form className="search-form" onSubmit={submit}>
        <Field label="Search" type="search" value={text} onChange={setText} placeholder="Height, id or account" />
        <Button kind="primary" type="submit" disabled={text.trim() === ''}>
          Find
        </Button>
      </form>
      {reason === undefined ? null : (
        <p className="small" role="alert">
          {reason}
        </p>
      )}
    </search>
  );
}

/** Opens the result, or returns why there is none. */
async function find(text: string): Promise<string | undefined> {
  const query = parseQuery(text);
  switch (query.type) {
    case 'block':
      go('explorer', 'block', query.block);
      return undefined;
    case 'account':
      go('explorer', 'account', query.account);
      return undefined;
    case 'id':
      return findId(query.id);
    case 'unclear':
      return UNCLEAR;
    default:
      return query satisfies never;
  }
}

async function findId(id: string): Promise<string | undefined> {
  try {
    await client.transaction(id);
    go('explorer', 'transaction', id);
    return undefined;
  } catch (error) {
    if (!(error instanceof ClientError) || error.code !== 'transaction-unknown') return explain(error);
  }
  try {
    await client.block(id);
    go('explorer', 'block', id);
    return undefined;
  } catch (error) {
    if (!(error instanceof ClientError) || error.code !== 'block-unknown') return explain(error);
  }
  try {
    await client.batch(id);
    go('explorer', 'batch', id);
    return undefined;
  } catch (error) {
    const unknown = error instanceof ClientError && error.code === 'batch-unknown';
    return unknown ? 'This node knows no transaction, row, block or batch with this id.' : explain(error);
  }
}
