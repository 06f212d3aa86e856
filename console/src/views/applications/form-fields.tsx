/** Fields on the page of a form in a manifest: nested as the form is. */
import type { FieldDescription, FormDescription } from '@slipstream/app/program';
import type { ReactNode } from 'react';
import { Button, Field } from '../../design/button.tsx';
import { SelectField } from '../../design/select-field.tsx';
import { boundsOf, caseDraft, type Draft, type DraftFields, emptyDraft, type Faults, fieldsOfCase } from './drafts.ts';

interface FormFieldProps {
  readonly form: FormDescription;
  readonly draft: Draft;
  readonly label: string;
  /** As in the faults. */
  readonly path: string;
  readonly faults: Faults;
  readonly onChange: (draft: Draft) => void;
}

interface RecordFieldsProps extends Omit<FormFieldProps, 'form' | 'draft' | 'label' | 'onChange'> {
  readonly fields: readonly FieldDescription[];
  readonly drafts: DraftFields;
  readonly onChange: (drafts: DraftFields) => void;
}

export function RecordFields({ fields, drafts, path, faults, onChange }: RecordFieldsProps) {
  return fields.map(({ name, of }) => (
    <FormField
      key={name}
      form={of}
      draft={drafts[name] ?? emptyDraft(of)}
      label={name}
      path={`${path}.${name}`}
      faults={faults}
      onChange={(draft) => onChange({ ...drafts, [name]: draft })}
    />
  ));
}

function FormField(props: FormFieldProps) {
  const { form, draft, label, path, faults, onChange } = props;
  switch (draft.type) {
    case 'text':
      return <ScalarField {...props} text={draft.text} />;
    case 'option':
      return form.form === 'option' ? <OptionField {...props} of={form.of} option={draft} /> : null;
    case 'list':
      return form.form === 'list' ? <ListField {...props} of={form.of} itemsMax={form.itemsMax} list={draft} /> : null;
    case 'record':
      if (form.form !== 'record') return null;
      return (
        <Group label={label}>
          <RecordFields
            {...{ path, faults }}
            fields={form.fields}
            drafts={draft.fields}
            onChange={(fields) => onChange({ ...draft, fields })}
          />
        </Group>
      );
    case 'choice':
      if (form.form !== 'choice') return null;
      return (
        <Group label={label}>
          <SelectField
            label="kind"
            value={draft.kind}
            options={form.cases.map(({ name }) => name)}
            onChange={(kind) => onChange(caseDraft(form.cases, kind))}
          />
          <RecordFields
            {...{ path, faults }}
            fields={fieldsOfCase(form.cases, draft.kind)}
            drafts={draft.fields}
            onChange={(fields) => onChange({ ...draft, fields })}
          />
        </Group>
      );
    default:
      return draft satisfies never;
  }
}

const MONO: ReadonlySet<string> = new Set(['account', 'id', 'bytes']);

function ScalarField({ form, text, label, path, faults, onChange }: FormFieldProps & { readonly text: string }) {
  const change = (changed: string) => onChange({ type: 'text', text: changed });
  const fault = faults.get(path);
  if (form.form === 'oneOf') return <SelectField label={label} value={text} options={form.names} onChange={change} />;
  return (
    <Field
      label={label}
      value={text}
      onChange={change}
      // A fault says the bounds too.
      {...(fault === undefined ? { hint: boundsOf(form) } : { fault })}
      mono={MONO.has(form.form)}
    />
  );
}

type Typed<T extends Draft['type']> = Extract<Draft, { readonly type: T }>;

function OptionField(props: FormFieldProps & { readonly of: FormDescription; readonly option: Typed<'option'> }) {
  const { of, option, label, onChange } = props;
  return (
    <div className="form-option">
      <label className="form-check small">
        <input
          type="checkbox"
          checked={option.isGiven}
          onChange={(event) => onChange({ ...option, isGiven: event.target.checked })}
        />
        With {label} (optional)
      </label>
      {option.isGiven ? (
        <FormField {...props} form={of} draft={option.of} onChange={(draft) => onChange({ ...option, of: draft })} />
      ) : null}
    </div>
  );
}

interface ListFieldProps extends FormFieldProps {
  readonly of: FormDescription;
  readonly itemsMax: number;
  readonly list: Typed<'list'>;
}

function ListField(props: ListFieldProps) {
  const { of, itemsMax, list, label, path, faults, onChange } = props;
  const { items } = list;
  const change = (changed: readonly Draft[]) => onChange({ type: 'list', items: changed });
  const fault = faults.get(path);
  return (
    <Group label={label}>
      {items.map((item, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the value of an item is in its draft, not in its element
        <div key={i} className="form-item">
          <FormField
            {...props}
            form={of}
            draft={item}
            label={`${label} ${i + 1}`}
            path={`${path}[${i}]`}
            onChange={(draft) => change(items.with(i, draft))}
          />
          <Button kind="quiet" label={`Remove ${label} ${i + 1}`} onClick={() => change(items.toSpliced(i, 1))}>
            Remove
          </Button>
        </div>
      ))}
      <div className="row">
        <Button disabled={items.length >= itemsMax} onClick={() => change([...items, emptyDraft(of)])}>
          Add to {label}
        </Button>
        <span className="small soft">at most {itemsMax.toLocaleString('en')} items</span>
      </div>
      {fault === undefined ? null : <p className="small field-fault">{fault}</p>}
    </Group>
  );
}

function Group({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <fieldset className="form-group">
      <legend className="field-label">{label}</legend>
      {children}
    </fieldset>
  );
}
