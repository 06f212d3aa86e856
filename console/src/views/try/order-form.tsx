import { type FormEvent, useState } from 'react';
import { Button, Field } from '../../design/button.tsx';

interface OrderFormProps {
  readonly recipient: string;
  readonly busy: boolean;
  readonly again: boolean;
  readonly onSend: (to: string, amount: bigint) => void;
}

const AMOUNT_DEFAULT = '25';
const ACCOUNT = /^0x0[123][0-9a-f]{64}$/;
const AMOUNT_MAX = 2n ** 64n - 1n;

export function OrderForm({ recipient, busy, again, onSend }: OrderFormProps) {
  const [to, setTo] = useState(recipient);
  const [amount, setAmount] = useState(AMOUNT_DEFAULT);
  const [reason, setReason] = useState<string>();

  const submit = (event: FormEvent) => {
    event.preventDefault();
    const wrong = faultOf(to.trim().toLowerCase(), amount.trim());
    setReason(wrong);
    if (wrong === undefined) onSend(to.trim().toLowerCase(), BigInt(amount.trim()));
  };

  return (
    <form className="stack" onSubmit={submit}>
      <div className="order-form">
        <Field label="Amount" value={amount} onChange={setAmount} />
        <Field label="To account (generated for you)" value={to} onChange={setTo} mono />
        <Button kind="primary" type="submit" disabled={busy}>
          {busy ? 'Sending …' : again ? 'Send another' : 'Sign and send'}
        </Button>
      </div>
      {reason === undefined ? null : (
        <p className="small" role="alert">
          {reason}
        </p>
      )}
    </form>
  );
}

function faultOf(to: string, amount: string): string | undefined {
  if (!/^\d{1,20}$/.test(amount) || BigInt(amount) > AMOUNT_MAX || BigInt(amount) === 0n) {
    return 'The amount is a whole number from 1 to 2^64 - 1.';
  }
  return ACCOUNT.test(to) ? undefined : 'An account is 0x01 and 64 hexadecimal digits.';
}
