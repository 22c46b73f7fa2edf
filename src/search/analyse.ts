import type { Block, BlockIndex } from '../domain/block/block.ts'
import type { LanguagePack } from './language/language.ts'
import { createEnglish } from './language/packs/english.ts'

type IndexedText = Pick<Block, 'id' | 'content' | 'summary' | 'cue' | 'source'>

/** How texts become what recall finds and ranks them by. */
export interface Analysis {
  /** Changes whenever stored terms would come out differently; the store remembers it. */
  readonly id: string
  readonly language: LanguagePack
  /** Makes a block's index entry; without a vector only words find it. Cost: one pass over the text. */
  entry(block: IndexedText, vector?: Float32Array): BlockIndex
}

/** @param cueWeight how often a word of the cue counts; one of the content counts once */
export function createAnalysis(language: LanguagePack, cueWeight: number): Analysis {
  return {
    id: `${language.id}/cue-${cueWeight}`,
    language,
    entry: (block, vector) => {
      const cues = Array.from({ length: cueWeight }, () => block.cue)
      const text = [block.source, ...cues, block.summary, block.content]
        .filter((part) => part !== undefined)
        .join('\n')
      return {
        id: block.id,
        ...(vector ? { vector } : {}),
        terms: language.terms(text).join(' '),
        asks: language.asks(block.content),
        timed: language.speaksOfTime(block.content),
      }
    },
  }
}

/** English, for whoever builds an index without settings. */
export const LANGUAGE: LanguagePack = createEnglish()

/** A lower-case English word as it is compared with others: its stem, or itself where it has none. */
export function stemOf(word: string): string {
  return LANGUAGE.term(word) ?? word
}
