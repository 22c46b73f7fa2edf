import { expect, test } from 'vitest'
import { isShownBy, shownMark } from './shown-mark.ts'

const sha256 = (text: string) => `${text.length}`.padStart(64, '0').split('').reverse().join('')
const block = { id: 'c1760a95deadbeef', content: 'Staging listens on port 4210.' }

test('isShownBy knows a block by its mark until its words change, and by its id afterwards too', () => {
  const byMark = isShownBy([shownMark(block, sha256)], sha256)
  const edited = { ...block, content: `${block.content} Since May.` }
  expect([byMark(block), byMark(edited)]).toEqual([true, false])
  const byId = isShownBy([block.id.slice(0, 8)], sha256)
  expect([byId(block), byId(edited), byId({ ...block, id: 'd1760a95deadbeef' })]).toEqual([true, true, false])
})
