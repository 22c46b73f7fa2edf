import type { AgentInputItem, SessionHistoryTransaction } from '@openai/agents'
import { ElfmemError } from '../../errors.ts'

/** A change of the end of a history. */
export interface EndChange {
  /** The newest items as they must be, which go. */
  readonly expected: readonly AgentInputItem[]
  readonly added: readonly AgentInputItem[]
}

/** The fields of each kind of transaction, and no others. */
const FIELDS = { append_items: ['items'], replace_suffix: ['expectedSuffix', 'replacement'] } as const

/** The change that a transaction asks for; throws `INVALID_INPUT` for anything else, before anything is read. */
export function changeOf(operationId: unknown, transaction: SessionHistoryTransaction): EndChange {
  if (typeof operationId !== 'string' || operationId.trim() === '')
    throw invalid('The id of an operation is a text that is not blank.')
  const { type, ...lists } = Object(transaction) as Readonly<Record<string, unknown>>
  const fields = type === 'append_items' || type === 'replace_suffix' ? FIELDS[type] : []
  const isWhole = fields.length > 0 && fields.length === Object.keys(lists).length
  if (!isWhole || !fields.every((field) => isItems(lists[field])))
    throw invalid('A transaction appends a list of items or replaces a list of items by another.')
  return transaction.type === 'append_items'
    ? { expected: [], added: transaction.items }
    : { expected: transaction.expectedSuffix, added: transaction.replacement }
}

/** The refusal of another transaction under an id that is taken. */
export function otherTransaction(): ElfmemError {
  return new ElfmemError('CONFLICT', 'This operation was already applied with a different transaction.', {
    recovery: 'Give each transaction an id of its own, and repeat it unchanged.',
  })
}

/** The refusal of a transaction for another end of the history. */
export function otherEnd(): ElfmemError {
  return new ElfmemError('CONFLICT', 'The history does not end with the expected items any more.', {
    recovery: 'Read the history again and decide anew; nothing was changed.',
  })
}

function isItems(list: unknown): boolean {
  return (
    Array.isArray(list) &&
    list.every((item) => typeof item === 'object' && item !== null && !Array.isArray(item))
  )
}

function invalid(message: string): ElfmemError {
  return new ElfmemError('INVALID_INPUT', message, {
    recovery: 'Pass what the runner of the Agents SDK passes; nothing was changed.',
  })
}
