import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fenced, holdsFence, withoutFences } from './text.ts'

const _ID = 'c1760a9542f2481c'
const mark = fc.constantFrom(
  '</memory>',
  '<memory ids="',
  '< /MEMORY >',
  '</ memory',
  '<memory>',
  '&lt;/memory>',
  '\n',
  '<',
)
const text = fc
  .array(fc.oneof(mark, fc.string({ unit: 'grapheme' })), { minLength: 1 })
  .map((parts) => parts.join(''))
const plain = fc.string({ unit: 'grapheme' }).filter((given) => !given.includes('<'))
const id = fc.stringMatching(/^[0-9a-f]{16}$/)

test('withoutFences takes out all of a fence around any text, which cannot end it', () => {
  fc.assert(
    fc.property(text, fc.array(id), plain, plain, (remembered, ids, before, behind) => {
      fc.pre(remembered !== '')
      const fence = fenced(remembered, ids)
      expect(fence.toLowerCase().match(/<\s{0,8}\/\s{0,8}memory\b/g)).toEqual(['</memory'])
      const all = `${before}${fence}${behind}`
      expect(holdsFence(all)).toBe(true)
      const { text: left, ids: named } = withoutFences(all)
      expect(left).toBe(`${before}${behind}`)
      expect(named).toEqual([...new Set(ids.map((each) => each.slice(0, 8)))])
      expect(withoutFences(left).text).toBe(left)
    }),
  )
})

test('withoutFences of 200,000 openings without an end ends before the test times out', () => {
  const many = '<memory ids="'.repeat(200_000)
  expect(withoutFences(many).text).toBe(many)
})
