import { type Block, type BlockIndex, type ContentVectors, PassageFlag } from '../domain/block/block.ts'
import { passagesOf } from '../domain/text/passages.ts'
import { joinNames, type LanguagePack, type NameTerms } from './language/pack.ts'

/** Changes whenever passages, flags or names of a text would come out differently. */
const PASSAGES = 'passages-1'

type IndexedText = Pick<Block, 'id' | 'content' | 'summary' | 'cue' | 'source'>

/** Analysis of texts into the terms and marks by which recall finds and ranks them. */
export interface Analysis {
  /** Changes whenever stored terms would come out differently; the store remembers it. */
  readonly id: string
  readonly language: LanguagePack
  /** Makes a block's index entry; without vectors only words find it. Cost: one pass over the text. */
  entry(block: IndexedText, vectors?: ContentVectors): BlockIndex
}

/** Entries held in mind: what waits is read when it comes, and again by the dream that takes it in. */
const KEPT_MOST = 1_024

/** Times that a word of a cue counts, where one of the content counts once: a cue says what the block is for. */
const CUE_WEIGHT = 2

/** Returns the analysis of texts in a language. */
export function createAnalysis(language: LanguagePack): Analysis {
  const held = new Map<string, { readonly block: IndexedText; readonly entry: BlockIndex }>()
  const entryOf = ({ id, content, summary, cue, source }: IndexedText): BlockIndex => {
    const known = held.get(id)
    const block = { id, content, summary, cue, source } as IndexedText
    if (known !== undefined && TEXTS.every((text) => known.block[text] === block[text])) return known.entry
    if (held.size >= KEPT_MOST) held.clear()
    const entry = read(block, language)
    held.set(id, { block, entry })
    return entry
  }
  return {
    id: `${language.id}/cue-${CUE_WEIGHT}/${PASSAGES}`,
    language,
    entry: (block, vectors) => {
      const entry = entryOf(block)
      return vectors ? { ...entry, vectors } : entry
    },
  }
}

/** The texts of an entry. */
const TEXTS = ['content', 'summary', 'cue', 'source'] as const

function read(block: IndexedText, language: LanguagePack): BlockIndex {
  const { id, content, summary, cue, source } = block
  const isOfAssistant = source?.toLowerCase() === ASSISTANT
  const [terms, names]: [string[], string[]] = [[], []]
  let flags = ''
  for (const [i, { from, to }] of passagesOf(content).entries()) {
    const passage = content.slice(from, to)
    // A cue and a summary are found with the first passage.
    const beside = i === 0 ? [...Array<string | undefined>(CUE_WEIGHT).fill(cue), summary] : []
    const line = [source, ...beside, passage].filter(isGiven).join('\n')
    terms.push(language.terms(line).join(' '))
    flags += flagsOf(passage, language, isOfAssistant).toString(16)
    names.push(joinNames(namesOf(i === 0 ? { ...block, content: passage } : { content: passage }, language)))
  }
  const named = names.join('\n')
  return { id, terms: terms.join('\n'), flags, ...(named.trim() === '' ? {} : { names: named }) }
}

const isGiven = (part: string | undefined) => part !== undefined

/** The source of the words of an assistant, whose instructions and preferences are nobody's. */
const ASSISTANT = 'assistant'

function flagsOf(passage: string, language: LanguagePack, isOfAssistant: boolean): number {
  const flags =
    (language.asks(passage) ? PassageFlag.asks : 0) | (language.speaksOfTime(passage) ? PassageFlag.timed : 0)
  if (isOfAssistant) return flags
  return (
    flags |
    (language.isStanding?.(passage) ? PassageFlag.standing : 0) |
    (language.statesPreference?.(passage) ? PassageFlag.prefers : 0)
  )
}

/** The names in what a block says and is said to be for, each once; its source is a label and no name. */
export function namesOf(
  { cue, summary, content }: Pick<Block, 'cue' | 'summary' | 'content'>,
  language: LanguagePack,
): readonly NameTerms[] {
  return language.names?.([cue, summary, content].filter(isGiven).join('\n')) ?? []
}
