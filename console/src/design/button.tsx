import './button.css';
import { type ReactNode, useId } from 'react';

interface ButtonProps {
  readonly kind?: 'primary' | 'plain' | 'quiet';
  readonly type?: 'button' | 'submit';
  readonly disabled?: boolean;
  readonly onClick?: () => void;
  readonly label?: string;
  readonly children: ReactNode;
}

export function Button({ kind = 'plain', type = 'button', disabled = false, onClick, label, children }: ButtonProps) {
  return (
    <button className="button" data-kind={kind} type={type} disabled={disabled} onClick={onClick} aria-label={label}>
      {children}
    </button>
  );
}

interface FieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly type?: 'text' | 'password' | 'search';
  readonly placeholder?: string;
  readonly hint?: string;
  readonly mono?: boolean;
  /** What is wrong with the value. */
  readonly fault?: string | undefined;
}

export function Field({ label, value, onChange, type = 'text', placeholder, hint, mono = false, fault }: FieldProps) {
  const id = useId();
  const described = [hint !== undefined && `${id}-hint`, fault !== undefined && `${id}-fault`]
    .filter(Boolean)
    .join(' ');
  return (
    <div className="field">
      <label className="field-label" htmlFor={id}>
        {label}
      </label>
      <input
        id={id}
        className={mono ? 'field-input mono' : 'field-input'}
        type={type}
        value={value}
        placeholder={placeholder}
        autoComplete="off"
        spellCheck={false}
        aria-describedby={described === '' ? undefined : described}
        aria-invalid={fault === undefined ? undefined : true}
        onChange={(event) => onChange(event.target.value)}
      />
      {hint === undefined ? null : (
        <p className="small soft" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {fault === undefined ? null : (
        <p className="small field-fault" id={`${id}-fault`}>
          {fault}
        </p>
      )}
    </div>
  );
}
