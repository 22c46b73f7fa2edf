import { type Answer, call, type Input, type Output } from '../api.ts'
import { plural } from '../format.ts'

/** The answer of an erasing: what would go, or what went. */
export type Erasing = Output<'erase'>
/** How to treat copies beside the memory. */
export type Copies = NonNullable<Input<'erase'>['copies']>

/** What is to be erased: these blocks, or all that hold some words. */
export type Choice = { readonly ids: readonly string[] } | { readonly words: string }

/** What would go, and for which choice. */
export interface Plan {
  readonly of: string
  readonly found: Erasing
}

/** A choice as one text, so that a plan of another is known. */
export function keyOf(choice: Choice, copies: Copies): string {
  return JSON.stringify([choice, copies])
}

/** Asks what would go; a choice of no words has no plan. */
export async function planOf(
  choice: Choice,
  copies: Copies,
  signal: AbortSignal,
): Promise<Answer<Plan | undefined>> {
  if ('words' in choice && !/[\p{L}\p{N}]/u.test(choice.words)) return { ok: true, value: undefined }
  const answer = await call('erase', { ...inputOf(choice), copies }, { signal })
  return answer.ok ? { ok: true, value: { of: keyOf(choice, copies), found: answer.value } } : answer
}

/** The call that erases exactly what a plan showed; earlier words of a block that stays are no block, so words name them. */
export function confirmed(choice: Choice, copies: Copies, { blocks }: Erasing): Input<'erase'> {
  const hasFormer = blocks.some(({ status }) => status === 'before')
  const chosen = hasFormer ? inputOf(choice) : { blockIds: blocks.map(({ id }) => id) }
  return { ...chosen, copies, yes: true }
}

function inputOf(choice: Choice): Input<'erase'> {
  return 'words' in choice ? { query: choice.words } : { blockIds: choice.ids }
}

/** How many blocks and earlier wordings go. */
export function countedWords({ blocks }: Pick<Erasing, 'blocks'>): string {
  const former = blocks.filter(({ status }) => status === 'before').length
  const gone = blocks.length - former
  return [gone > 0 && plural(gone, 'block'), former > 0 && plural(former, 'earlier wording')]
    .filter(Boolean)
    .join(' and ')
}
