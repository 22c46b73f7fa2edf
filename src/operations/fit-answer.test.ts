import fc from 'fast-check'
import { expect, test } from 'vitest'
import { estimateTokens } from '../block/text.ts'
import { fitAnswer } from './fit-answer.ts'

const tokensOf = (output: Record<string, unknown>) => estimateTokens(JSON.stringify(output))
const text = fc.string({ maxLength: 2_000 })
const answers = fc.record({
  blocks: fc.array(fc.record({ id: fc.string(), content: text }), { maxLength: 60 }),
  block: fc.record({ content: text, tags: fc.array(fc.string()) }),
  summary: fc.string({ maxLength: 100 }),
  count: fc.integer(),
})

test('fitAnswer fits the limit, and names every list and text that is not whole', () => {
  fc.assert(
    fc.property(answers, fc.integer({ min: 400, max: 4_000 }), (answer, limit) => {
      const { output, leftOut } = fitAnswer(answer, tokensOf, limit)
      expect(tokensOf(output)).toBeLessThanOrEqual(limit)
      expect(Object.keys(output)).toEqual(Object.keys(answer))
      const cut = output as typeof answer
      expect(cut.blocks).toEqual(answer.blocks.slice(0, cut.blocks.length))
      const told = leftOut.find(({ field }) => field === 'blocks')
      if (cut.blocks.length < answer.blocks.length)
        expect(told).toEqual({
          field: 'blocks',
          shown: cut.blocks.length,
          of: answer.blocks.length,
          unit: 'items',
        })
      else expect(told).toBeUndefined()
      expect(leftOut.some(({ field }) => field === 'block.content')).toBe(
        cut.block.content !== answer.block.content,
      )
    }),
  )
})
