import type { EditInput } from '../../src/operations/methods.generated.ts'

/** What the form of a correction holds. */
export interface Draft {
  readonly content: string
  readonly cue: string
  readonly tags: string
  readonly from: string
  readonly until: string
}

interface Corrected {
  readonly content: string
  readonly cue?: string | undefined
  readonly tags: readonly string[]
  readonly validFrom?: string | undefined
  readonly validUntil?: string | undefined
  readonly fromBy?: string | undefined
  readonly untilBy?: string | undefined
}

/** The form of a block. Dates that were read from the words, or that another block set, are not its own. */
export function draftOf({ content, cue = '', tags, ...block }: Corrected): Draft {
  const own = (at: string | undefined, by: string | undefined) =>
    by === 'given' ? (at ?? '').slice(0, 10) : ''
  return {
    ...{ content, cue, tags: tags.join(', ') },
    from: own(block.validFrom, block.fromBy),
    until: own(block.validUntil, block.untilBy),
  }
}

/** The parts of a form, by the names that they have there. */
export const FIELDS: Readonly<Record<keyof Draft, string>> = {
  ...{ content: 'Words', cue: 'Comes to mind when', tags: 'Tags' },
  ...{ from: 'Holds from', until: 'Holds until' },
}

const NAMES = Object.keys(FIELDS) as (keyof Draft)[]

/** What was there when somebody began to type, and what is there now. */
interface Meanwhile {
  readonly before: Draft
  readonly now: Draft
}

/** The parts that somebody else changed meanwhile. */
export function changedMeanwhile({ before, now }: Meanwhile): readonly (keyof Draft)[] {
  return NAMES.filter((name) => before[name] !== now[name])
}

/** Those of them that were typed otherwise here: saving would replace them. */
export function clashing({ before, now }: Meanwhile, typed: Draft): readonly (keyof Draft)[] {
  return changedMeanwhile({ before, now }).filter(
    (name) => typed[name] !== before[name] && typed[name] !== now[name],
  )
}

/** What is typed, with what somebody else changed in all other parts. */
export function merged({ before, now }: Meanwhile, typed: Draft): Draft {
  const mine = NAMES.filter((name) => typed[name] !== before[name])
  return { ...now, ...Object.fromEntries(mine.map((name) => [name, typed[name]])) }
}

/** What `edit` is to change, or undefined if it is nothing. */
export function editOf(block: Corrected, draft: Draft): Omit<EditInput, 'blockId'> | undefined {
  const was = draftOf(block)
  const edit = {
    ...(draft.content === was.content ? {} : { content: draft.content }),
    ...(draft.cue === was.cue ? {} : { cue: draft.cue }),
    ...(draft.tags === was.tags ? {} : { tags: tagsIn(draft.tags) }),
    ...(draft.from === was.from ? {} : { validFrom: draft.from }),
    ...(draft.until === was.until ? {} : { validUntil: draft.until }),
  }
  return Object.keys(edit).length === 0 ? undefined : edit
}

function tagsIn(text: string): readonly string[] {
  return text
    .split(',')
    .map((tag) => tag.trim().replace(/^#/, ''))
    .filter((tag) => tag !== '')
}
