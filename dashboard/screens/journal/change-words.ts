import type { LoggedChange } from '../../../src/operations/methods.generated.ts'
import { momentWords, percent, relationWords, speakerWords, statusWords } from '../../format.ts'

/** One value before and after, as people read it. */
export interface ValueChange {
  readonly label: string
  readonly before?: string | undefined
  readonly after?: string | undefined
  /** True: remembered words, compared word by word. */
  readonly areWords: boolean
}

/** What one operation changed of one block, edge, pair or item. */
export interface ChangedThing {
  readonly key: string
  readonly kind: 'block' | 'edge' | 'pair' | 'item'
  /** The blocks that are named, in order. */
  readonly ids: readonly string[]
  /** The beginning of each, empty where it is gone. */
  readonly words: readonly string[]
  readonly values: readonly ValueChange[]
}

/** Changes of the same thing together, in the order in which they come. */
export function changedThings(changes: readonly LoggedChange[]): readonly ChangedThing[] {
  const things = new Map<string, ChangedThing>()
  for (const change of changes) {
    const { kind, ids } = subjectOf(change)
    const key = `${kind} ${ids.join(' ')}`
    const known = things.get(key)
    const values = [...(known?.values ?? []), valueChange(change)]
    things.set(key, { key, kind, ids, words: change.words ?? known?.words ?? [], values })
  }
  return [...things.values()]
}

function subjectOf({ block, edge, pair, item }: LoggedChange): Pick<ChangedThing, 'kind' | 'ids'> {
  if (block !== undefined) return { kind: 'block', ids: [block] }
  if (edge !== undefined) return { kind: 'edge', ids: edge }
  if (pair !== undefined) return { kind: 'pair', ids: pair }
  const { space = '', namespace = [], key = '' } = item ?? {}
  return { kind: 'item', ids: [[space, ...namespace, key].join('/')] }
}

const WORDS = new Set(['words', 'cue', 'summary', 'note'])
const SHARES = new Set(['belief', 'confidence'])
const NAMED: Readonly<Record<string, (value: string) => string>> = {
  status: statusWords,
  'joined by': relationWords,
  'joined because of': relationWords,
  'to be decided': relationWords,
  'who speaks': speakerWords,
}

/** Values that have another name on the page. */
const LABELS: Readonly<Record<string, string>> = { belief: 'confidence' }

const MOMENT = /^\d{4}-\d\d-\d\dT[\d:.]{5,12}Z$/

function valueChange({ field, before, after }: LoggedChange): ValueChange {
  return {
    label: LABELS[field] ?? field,
    areWords: WORDS.has(field),
    before: valueWords(field, before),
    after: valueWords(field, after),
  }
}

/** A value as people read it; undefined if there is none. */
function valueWords(field: string, value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value === 'number')
    return SHARES.has(field) ? `${percent(value)} %` : String(Math.round(value * 1e4) / 1e4)
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (Array.isArray(value)) return value.join(', ')
  if (typeof value !== 'string') return JSON.stringify(value)
  if (!WORDS.has(field) && MOMENT.test(value)) return momentWords(value)
  return NAMED[field]?.(value) ?? value
}

/** The reason in the words of whoever asked; a recall has only the name of its frame there, which its summary says. */
export function saidReason({
  operation,
  reason,
}: {
  readonly operation: string
  readonly reason?: string | undefined
}): string | undefined {
  return operation === 'recall' ? undefined : reason
}
