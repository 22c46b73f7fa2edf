import type { Input } from '../../api.ts'

/** Some part of who the agent is. */
export interface IdentityPart {
  readonly key: string
  readonly name: string
  /** What it is for. */
  readonly hint: string
  readonly tags: readonly string[]
  /** What is asked before it is written. */
  readonly ask: string
  /** The button that writes it: it says what it does. */
  readonly does: string
  readonly placeholder: string
}

/** The parts in the order of the page. A block is listed in the first part that one of its tags names. */
export const PARTS: readonly IdentityPart[] = [
  {
    ...{ key: 'who', name: 'Who it is', tags: ['self/context', 'self/identity'] },
    hint: 'A few sentences. Sessions begin with them, while the self frame has room.',
    ask: 'Every self frame shows this as the owner’s word.',
    does: 'Make it who the agent is',
    placeholder: 'I keep the books of a small bakery.',
  },
  {
    ...{ key: 'principles', name: 'Principles', tags: ['self/constitutional'] },
    hint: 'They never fade, stand in every self frame, and only you change them.',
    ask: 'A principle never fades and stands in every self frame. Keep it short: it costs tokens in every session.',
    does: 'Make it a principle',
    placeholder: 'Say what you do not know before what you do.',
  },
  {
    ...{ key: 'values', name: 'Values', tags: ['self/value'] },
    hint: 'What it holds to be good. They fade very slowly.',
    ask: 'It counts as a value of the agent, in the owner’s words.',
    does: 'Make it a value',
    placeholder: 'Prefer small steps that can be undone.',
  },
  {
    ...{ key: 'limits', name: 'Limits', tags: ['self/constraint'] },
    hint: 'What it may not do. They fade very slowly.',
    ask: 'It counts as a limit of the agent, in the owner’s words.',
    does: 'Make it a limit',
    placeholder: 'Never send a letter without being asked.',
  },
  {
    ...{ key: 'goals', name: 'Goals', tags: ['self/goal'] },
    hint: 'What it works towards. No model can set them.',
    ask: 'It counts as a goal of the agent, in the owner’s words.',
    does: 'Make it a goal',
    placeholder: 'Close the quarter by the fifth of the month.',
  },
  {
    ...{ key: 'manner', name: 'Manner', tags: ['self/style'] },
    hint: 'How it speaks and works.',
    ask: 'It counts as the manner of the agent, in the owner’s words.',
    does: 'Make it its manner',
    placeholder: 'Answer in short sentences, in German.',
  },
]

/** Other blocks about the agent itself, which nobody writes here. */
export const OTHERS = {
  key: 'others',
  name: 'Also about itself',
  hint: 'Its own words with another tag under self/.',
}

/** Puts blocks into the parts, each into the first that fits; principles before values, which they are, too. */
export function byPart<B extends { readonly tags: readonly string[] }>(
  blocks: readonly B[],
): ReadonlyMap<string, readonly B[]> {
  const order = [...PARTS].sort((one, other) => rankOf(one) - rankOf(other))
  const found = new Map<string, B[]>()
  for (const block of blocks) {
    const part = order.find(({ tags }) => tags.some((tag) => block.tags.includes(tag)))
    const key = part?.key ?? OTHERS.key
    found.set(key, [...(found.get(key) ?? []), block])
  }
  return found
}

function rankOf({ key }: IdentityPart): number {
  return key === 'principles' ? 0 : 1
}

/** How a statement of a part is written: who it is, principles and values by `setup`, the others as remembered words of the owner. */
export type Writing =
  | { readonly operation: 'setup'; readonly input: Input<'setup'> }
  | { readonly operation: 'remember'; readonly input: Input<'remember'> }

/** Returns the call that writes a statement of a part. */
export function writingOf({ key, tags }: IdentityPart, text: string): Writing {
  if (key === 'who') return { operation: 'setup', input: { identity: text } }
  if (key === 'principles') return { operation: 'setup', input: { principles: [text] } }
  if (key === 'values') return { operation: 'setup', input: { values: [text] } }
  return { operation: 'remember', input: { content: text, tags: tags.slice(0, 1), sourceClass: 'user' } }
}

const REASONS: Readonly<Record<string, string>> = {
  top_k: 'beyond the number of blocks the frame takes',
  token_budget: 'no room in the budget',
  versions: 'says the same as one that is shown',
  nothing: 'no nearer than chance',
  class: 'another class of speaker',
  without: 'left out on request',
}

/** Why a block is not in a frame, in words. */
export function reasonWords(reason: string): string {
  return REASONS[reason] ?? reason.replaceAll('_', ' ')
}
