import { expect, test } from 'vitest'
import { openTestMemory } from '../../helpers/memory.ts'

test('remember of a waiting text answers duplicate and merges tags and cue', async () => {
  const { memory } = await openTestMemory()
  const first = await memory.remember({ content: 'Tea is at four.', tags: ['habits'] })
  const second = await memory.remember({
    content: ' - Tea is at four! ',
    tags: ['habits', 'drinks'],
    cue: 'a visit',
  })
  expect(second).toMatchObject({
    blockId: first.blockId,
    status: 'duplicate',
    mergedTags: ['drinks'],
  })
  const { block } = await memory.show({ blockId: first.blockId })
  expect(block).toMatchObject({ content: 'Tea is at four.', tags: ['drinks', 'habits'], cue: 'a visit' })
})

test('remember of an archived text creates a new block, once', async () => {
  const { memory } = await openTestMemory()
  const first = await memory.remember({ content: 'Tea is at four.' })
  await memory.forget({ blockId: first.blockId })
  const second = await memory.remember({ content: 'Tea is at four.' })
  expect(second.status).toBe('created')
  expect(second.blockId).not.toBe(first.blockId)
  const third = await memory.remember({ content: 'Tea is at four.' })
  expect(third).toMatchObject({ status: 'duplicate', blockId: second.blockId })
  await memory.dream()
  const again = await memory.remember({ content: 'Tea is at four.' })
  expect(again).toMatchObject({ status: 'duplicate', blockId: second.blockId, pendingConsolidation: false })
})

/** Each pair has two different facts that look alike. */
const DIFFERENT = [
  ['The link carries 10 MB a second', 'The link carries 10 Mb a second'],
  ['Call getUser before login', 'Call GetUser before login'],
  ['Close the gate at night', 'Close the gates at night'],
  ['Mia is on call', 'Mia was on call'],
  ['Die Spinnen sind im Keller', 'Die spinnen sind im Keller'],
  ['Der Ort heißt Sığır heute', 'Der Ort heißt Siğir heute'],
  ['Il a mange la pomme hier', 'Il a mangé la pomme hier'],
  ['¿Ana viene hoy a casa?', 'Ana viene hoy a casa'],
  ['Сервер не работает в Москве', 'Сервер работает в Москве'],
  ['門は かき で 開く と 言った', '門は かぎ で 開く と 言った'],
  ['端口 是 ４２１０ 号 服务器', '端口 是 4210 号 服务器'],
  ['服务器 不 在 柏林 运行', '服务器 在 柏林 运行 着'],
  ['The sign for done is 👍🏽 here', 'The sign for done is 👍 here'],
  ['The area is 10 m² in all', 'The area is 10 m2 in all'],
  ['The offset is −5 at noon', 'The offset is 5 at noon'],
  ['server:\n  port: 80\n  tls:\n    on: true', 'server:\n  port: 80\n  tls:\n  on: true'],
  ['| a | b |\n|---|---|\n| 1 |   |', '| a | b |\n|---|---|\n|   | 1 |'],
  ['Mia, 42 , Oslo , yes', 'Mia, 42, Oslo , yes'],
  ['-  timeout: 30 seconds each', '+  timeout: 30 seconds each'],
  [`grep 'a b' file names here`, 'grep "a b" file names here'],
  ['The sum is $a_1 b_2$ in all', 'The sum is $a1 b2$ in all'],
  ['The shop needs Redis 7.', 'The shop needs Redis 7.0'],
] as const

test('remember keeps different facts that look alike, and a dream promotes all of them', async () => {
  const { memory, learn } = await openTestMemory()
  const ids = await learn(...DIFFERENT.flat())
  expect(new Set(ids).size).toBe(2 * DIFFERENT.length)
  const shown = await Promise.all(ids.map((blockId) => memory.show({ blockId })))
  expect(shown.map(({ block }) => [block.status, block.content])).toEqual(
    DIFFERENT.flat().map((content) => ['active', content]),
  )
})

test('remember of the same words with other marks answers duplicate, also after an edit', async () => {
  const { memory, learn } = await openTestMemory()
  const [id = ''] = await learn('**Note: The gate opens at six.**')
  expect(await memory.remember({ content: '- The gate opens at six' })).toMatchObject({
    status: 'duplicate',
    blockId: id,
  })
  await memory.edit({ blockId: id, content: 'The gate opens at seven' })
  expect((await memory.remember({ content: 'The gate opens at six' })).status).toBe('created')
  expect(await memory.remember({ content: 'Note: The gate opens at seven!' })).toMatchObject({ blockId: id })
})
