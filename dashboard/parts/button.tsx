import type { ButtonHTMLAttributes, ComponentChildren } from 'preact'
import { Icon, type IconName } from './icon.tsx'

interface ButtonProps
  extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'icon' | 'size' | 'label' | 'disabled' | 'children'> {
  /** primary: the one thing to do; quiet: without a border; bad: takes something away. */
  readonly tone?: 'primary' | 'quiet' | 'bad'
  readonly size?: 'small'
  readonly icon?: IconName
  /** Words for screen readers and the pointer, where only the icon is shown. */
  readonly label?: string
  readonly disabled?: boolean
  readonly children?: ComponentChildren
}

/** A button: words, an icon, or both. */
export function Button({ tone, size, icon, label, children, ...rest }: ButtonProps) {
  const hasWords = children !== undefined
  const classes = ['button', tone, size, hasWords ? undefined : 'only-icon'].filter(Boolean).join(' ')
  return (
    <button
      type="button"
      {...rest}
      class={classes}
      {...(label && !hasWords ? { 'aria-label': label } : {})}
      title={label}
    >
      {icon && <Icon name={icon} size={size === 'small' ? 14 : 16} />}
      {children}
    </button>
  )
}

interface SegmentedProps<V extends string> {
  readonly label: string
  readonly value: V
  readonly options: readonly (readonly [V, string])[]
  readonly onChange: (value: V) => void
}

/** A choice of few, all of them seen. */
export function Segmented<V extends string>({ label, value, options, onChange }: SegmentedProps<V>) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would need a legend that is seen
    <div class="segmented" role="group" aria-label={label}>
      {options.map(([key, words]) => (
        <button type="button" key={key} aria-pressed={key === value} onClick={() => onChange(key)}>
          {words}
        </button>
      ))}
    </div>
  )
}

interface SelectProps {
  readonly label: string
  readonly value: string
  readonly options: readonly (readonly [string, string])[]
  readonly onChange: (value: string) => void
}

/** A choice of many. */
export function Select({ label, value, options, onChange }: SelectProps) {
  return (
    <select
      class="field"
      aria-label={label}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    >
      {options.map(([key, words]) => (
        <option key={key} value={key}>
          {words}
        </option>
      ))}
    </select>
  )
}
