import { expect, test } from 'vitest'
import { scoreBoost } from './boost.ts'

const BOOSTS = { 'tag:self/': 10, mind: 6, decision: 5 }

test('the greatest boost that fits a block counts, and 1 when none fits', () => {
  expect(scoreBoost({ tags: ['self/goal'], category: 'mind' }, BOOSTS)).toBe(10)
  expect(scoreBoost({ tags: [], category: 'decision' }, BOOSTS)).toBe(5)
  expect(scoreBoost({ tags: ['mind', 'selfish'], category: 'knowledge' }, BOOSTS)).toBe(1)
})

test('a boost below 1 lowers a block', () => {
  expect(scoreBoost({ tags: [], category: 'observation' }, { observation: 0.5 })).toBe(0.5)
})
