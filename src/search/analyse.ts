import type { Block, BlockIndex } from '../domain/block.ts'
import { createEnglish } from './language/english.ts'
import type { LanguagePack } from './language/language.ts'

/** The pack every memory uses until more than one is needed. */
export const LANGUAGE: LanguagePack = createEnglish()

type IndexedText = Pick<Block, 'id' | 'content' | 'summary' | 'cue' | 'source'>

/** What recall will find and rank the block by. Without a vector only its words find it. Cost: one pass over the text. */
export function indexEntry(block: IndexedText, vector?: Float32Array): BlockIndex {
  const text = [block.source, block.cue, block.summary, block.content]
    .filter((part) => part !== undefined)
    .join('\n')
  return {
    id: block.id,
    ...(vector ? { vector } : {}),
    terms: LANGUAGE.terms(text).join(' '),
    asks: LANGUAGE.asks(block.content),
    timed: LANGUAGE.speaksOfTime(block.content),
  }
}
