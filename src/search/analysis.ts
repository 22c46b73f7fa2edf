import type { Block, BlockIndex } from '../domain/block/block.ts'
import { joinNames, type LanguagePack, type NameTerms } from './language/pack.ts'

/** Changes whenever the names of a text would come out differently. */
const NAMES = 'names-1'

type IndexedText = Pick<Block, 'id' | 'content' | 'summary' | 'cue' | 'source'>

/** How texts become what recall finds and ranks them by. */
export interface Analysis {
  /** Changes whenever stored terms would come out differently; the store remembers it. */
  readonly id: string
  readonly language: LanguagePack
  /** Makes a block's index entry; without a vector only words find it. Cost: one pass over the text. */
  entry(block: IndexedText, vector?: Float32Array): BlockIndex
}

/** Entries held in mind: what waits is read when it comes, and again by the dream that takes it in. */
const KEPT_MOST = 1_024

/** @param cueWeight how often a word of the cue counts; one of the content counts once */
export function createAnalysis(language: LanguagePack, cueWeight: number): Analysis {
  const held = new Map<string, { readonly block: IndexedText; readonly entry: BlockIndex }>()
  const entryOf = ({ id, content, summary, cue, source }: IndexedText): BlockIndex => {
    const known = held.get(id)
    const block = { id, content, summary, cue, source } as IndexedText
    if (known !== undefined && TEXTS.every((text) => known.block[text] === block[text])) return known.entry
    if (held.size >= KEPT_MOST) held.clear()
    const entry = read(block, language, cueWeight)
    held.set(id, { block, entry })
    return entry
  }
  return {
    id: `${language.id}/cue-${cueWeight}/${NAMES}`,
    language,
    entry: (block, vector) => {
      const entry = entryOf(block)
      return vector ? { ...entry, vector } : entry
    },
  }
}

/** The texts of an entry. */
const TEXTS = ['content', 'summary', 'cue', 'source'] as const

function read(block: IndexedText, language: LanguagePack, cueWeight: number): BlockIndex {
  const names = joinNames(namesOf(block, language))
  const asks = language.asks(block.content)
  const timed = language.speaksOfTime(block.content)
  const cues = Array.from({ length: cueWeight }, () => block.cue)
  const text = [block.source, ...cues, block.summary, block.content]
    .filter((part) => part !== undefined)
    .join('\n')
  const terms = language.terms(text).join(' ')
  return { id: block.id, terms, asks, timed, ...(names === '' ? {} : { names }) }
}

/** The names in what a block says and is said to be for, each once; its source is a label and no name. */
export function namesOf(
  { cue, summary, content }: Pick<Block, 'cue' | 'summary' | 'content'>,
  language: LanguagePack,
): readonly NameTerms[] {
  return language.names?.([cue, summary, content].filter((part) => part !== undefined).join('\n')) ?? []
}
