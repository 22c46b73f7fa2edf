import { count, preview } from '../../block/text.ts'
import type { TokenUsage } from '../../engine/counts.ts'
import { addUsage, llmTokens, NO_USAGE } from '../../engine/engine.ts'
import type { EntryChange } from '../../history/journal.ts'
import { sentences, shortId, someIds } from '../wording.ts'

/** Signs of the words of an entry's first block, and of a value, in a line of a text. */
const WORDS_SHOWN = 60
const VALUE_SHOWN = 400

/** A change as an answer has it. */
type Change = { readonly [K in keyof EntryChange]: EntryChange[K] | undefined } & Pick<EntryChange, 'field'>

/** An entry of the log as an answer has it. */
interface Told {
  readonly id: number
  readonly operation: string
  readonly at: string
  readonly actor: string
  readonly summary: string
  readonly blockIds: readonly string[]
  readonly first?: string | undefined
  readonly entries?: number | undefined
  readonly tokens?: TokenUsage | undefined
  readonly undoneBy?: number | undefined
  readonly erased?: true | undefined
  readonly changes?: readonly Change[] | undefined
  readonly changesCut?: true | undefined
}

/** An entry in one line, and a line for each of its changes. */
export function entryLines(entry: Told): string[] {
  const { id, at, actor, operation, blockIds, first, entries, tokens, undoneBy, erased, changes } = entry
  const words = first === undefined ? '' : `: "${preview(first, WORDS_SHOWN)}"`
  const notes = [
    entries !== undefined && entries > 1 && `${entries} entries`,
    tokens !== undefined && usageInWords(tokens),
    undoneBy !== undefined && `undone by ${undoneBy}`,
    erased && 'erased',
  ]
  return [
    [
      `${id}  ${at.slice(0, 19)}Z  ${actor}  ${operation}: ${entry.summary}${words}${blockIds.length > 0 ? ` (${someIds(blockIds)})` : ''}`,
      ...notes.flatMap((note) => (note ? [`[${note}]`] : [])),
    ].join('  '),
    ...(changes ?? []).map((change) => `  ${changeInWords(change)}`),
    ...(entry.changesCut ? ['  … and more'] : []),
  ]
}

/** The summary of a list of entries. */
export function entriesSummary(operations: readonly Told[]): string {
  const last = operations.at(-1)
  if (last === undefined) return 'No operation is logged that fits.'
  const used = operations.reduce((sum, { tokens }) => addUsage(sum, tokens ?? NO_USAGE), NO_USAGE)
  return sentences(
    `${count(operations.length, 'operation')}; the last was ${last.operation} at ${last.at}.`,
    used.llmCalls > 0 && `Models used ${llmTokens(used)} tokens for them (${usageInWords(used)}).`,
  )
}

function usageInWords({ llmCalls, llmInputTokens, llmOutputTokens }: TokenUsage): string {
  return `${count(llmCalls, 'call')}, ${llmInputTokens} in, ${llmOutputTokens} out`
}

function changeInWords({ block, edge, pair, item, words = [], field, before, after }: Change): string {
  const named = (id: string, at: number) => (words[at] ? `${shortId(id)} "${words[at]}"` : shortId(id))
  if (item !== undefined)
    return `${[item.space, ...item.namespace, item.key].join('/')}: ${valuesInWords(field, before, after)}`
  if (block !== undefined) {
    const which = field === WORDS ? shortId(block) : named(block, 0)
    return `${which}: ${valuesInWords(field, before, after)}`
  }
  const [one, other] = (edge ?? pair ?? []).map(named)
  if (edge !== undefined && field === JOINED && (before === undefined || after === undefined))
    return after === undefined
      ? `${one} is no longer joined to ${other} (${before})`
      : `${one} is joined to ${other} (${after})`
  return `${one} and ${other}: ${valuesInWords(field, before, after)}`
}

/** Names of values: the content of a block, and the relation of an edge. */
const WORDS = 'words'
const JOINED = 'joined by'

function valuesInWords(field: string, before: unknown, after: unknown): string {
  if (before === undefined) return `${field} ${valueInWords(after)}`
  if (after === undefined) return `${field} ${valueInWords(before)}, taken away`
  return `${field} ${valueInWords(before)} → ${valueInWords(after)}`
}

function valueInWords(value: unknown): string {
  if (typeof value === 'number') return String(Number(value.toPrecision(4)))
  if (typeof value === 'string' && /^[\w-]{1,40}$/.test(value)) return value
  if (Array.isArray(value)) return value.join(', ')
  return preview(JSON.stringify(value) ?? '', VALUE_SHOWN)
}
