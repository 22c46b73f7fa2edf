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
