import type { ComponentChildren } from 'preact'
import type { Failure as Why } from '../api.ts'
import { pageWords } from '../page-words.ts'
import { Button } from './button.tsx'
import { Icon, type IconName } from './icon.tsx'

interface EmptyProps {
  readonly icon: IconName
  readonly title: string
  /** Why there is nothing, and one thing to do. */
  readonly children?: ComponentChildren
}

/** Nothing is here yet, or nothing fits. */
export function Empty({ icon, title, children }: EmptyProps) {
  return (
    <div class="empty">
      <Icon name={icon} size={36} />
      <b>{title}</b>
      {children && <div>{children}</div>}
    </div>
  )
}

interface FailureProps {
  readonly why: Why
  readonly again?: (() => void) | undefined
}

/** An error: what went wrong, what helps, and another try. */
export function Failure({ why, again }: FailureProps) {
  return (
    <div class="notice bad" role="alert">
      <Icon name="alert" />
      <div class="grow">
        <b>{pageWords(why.message)}</b>
        {why.recovery && <div class="second">{pageWords(why.recovery)}</div>}
      </div>
      {again && (
        <Button size="small" onClick={again}>
          Try again
        </Button>
      )}
    </div>
  )
}

interface NoticeProps {
  readonly tone: 'warn' | 'info'
  readonly icon?: IconName
  readonly title: string
  readonly children?: ComponentChildren
  readonly action?: ComponentChildren
}

/** Something to know before going on. */
export function Notice({ tone, icon = 'alert', title, children, action }: NoticeProps) {
  return (
    <div class={`notice ${tone}`}>
      <Icon name={icon} />
      <div class="grow">
        <b>{title}</b>
        {children && <div class="second">{children}</div>}
      </div>
      {action}
    </div>
  )
}

/** Grey bars in the shape of lines, shown after 120 ms. */
export function Skeleton({ lines = 6 }: { readonly lines?: number }) {
  return (
    <div class="skeletons" role="status" aria-label="Loading">
      {Array.from({ length: lines }, (_, at) => (
        <div class="skeleton" key={at} style={{ width: `${92 - ((at * 17) % 40)}%` }} />
      ))}
    </div>
  )
}

interface PendingProps<T> {
  readonly loaded: {
    readonly data?: T
    readonly failure?: Why
    readonly isLoading: boolean
    readonly again: () => void
  }
  readonly lines?: number
  readonly children: (data: T) => ComponentChildren
}

/** What was loaded, or its state: bars, an error, or the old answer while a new one comes. */
export function Pending<T>({
  loaded: { data, failure, isLoading, again },
  lines,
  children,
}: PendingProps<T>) {
  return (
    <>
      {failure && <Failure why={failure} again={again} />}
      {data === undefined && isLoading && <Skeleton {...(lines === undefined ? {} : { lines })} />}
      {data !== undefined && (
        <div class={isLoading ? 'contents is-stale' : 'contents'} aria-busy={isLoading}>
          {children(data)}
        </div>
      )}
    </>
  )
}
