import type { Mutant } from './mutant.ts'

const STORY = 'test/story/54-through-names.test.ts'
const STEP = 'src/search/index/names/through-names.ts'
const MODEL = 'src/search/index/names/through-names.test.ts'

/** Breaks of what recall brings through names. */
export const NAMES: readonly Mutant[] = [
  {
    breaks: 'what a name brings never comes before the match that led to it',
    file: STEP,
    from: 'Math.min(rank + amount, options.throughNamesCap * link.from.rank)',
    to: 'rank + amount',
    test: MODEL,
    only: 'stays behind the cap',
  },
  {
    breaks: 'a name that the question gives leads nowhere',
    file: STEP,
    from: '!terms.every((term) => question.has(term))',
    to: 'terms.length > 0',
    test: STORY,
    only: 'that the question gives leads nowhere',
  },
  {
    breaks: 'a name in too many blocks leads nowhere',
    file: STEP,
    from: 'look.postings.holding(terms, most)',
    to: 'look.postings.holding(terms, look.blocks)',
    test: STORY,
    only: 'in more than three blocks',
  },
  {
    breaks: 'no name brings a block that a filter leaves out',
    file: 'src/search/rank.ts',
    from: 'return input.allowed(slot) ? rankedAt(slot, input).rank : undefined',
    to: 'return rankedAt(slot, input).rank',
    test: STORY,
    only: 'a filter or a scope leaves out',
  },
  {
    breaks: 'a name leads to no block that neighbours lend words',
    file: STEP,
    from: 'weight * look.shareAt(slot) * worth',
    to: 'weight * worth',
    test: STORY,
    only: 'only as far as they lend it no words',
  },
  {
    breaks: 'of a block that went no name stays in the packed index',
    file: 'src/search/index/names/block-names.ts',
    from: 'this.#bytes.fill(0, start, start + length)\n    this.#lengths.set(slot, 0)\n    this.#stale += length',
    to: 'this.#lengths.set(slot, 0)',
    test: 'src/search/index/names/block-names.test.ts',
    only: 'of names that went',
  },
  {
    breaks: 'a block that neighbours lend words is not alone',
    file: 'src/domain/score/lone.ts',
    from: 'Math.min(1, lent / enough)',
    to: 'Math.min(0, lent / enough)',
    test: STORY,
    only: 'only as far as they lend it no words',
  },
]
