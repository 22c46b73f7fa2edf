import { expect, test } from 'vitest'
import { openTestMemory } from '../helpers/memory.ts'

/** These pairs differ in something that a rule about the look of a text may overlook. */
const PAIRS: readonly (readonly [kind: string, one: string, other: string])[] = [
  ['German case', 'Die Spinnen sind im Keller', 'Die spinnen sind im Keller'],
  ['a Turkish letter', 'Der Ort heißt Sığır heute', 'Der Ort heißt Siğir heute'],
  ['a French accent', 'Il a mange la pomme hier', 'Il a mangé la pomme hier'],
  ['an inverted mark', '¿Ana viene hoy a casa?', 'Ana viene hoy a casa'],
  ['Russian negation', 'Сервер не работает в Москве', 'Сервер работает в Москве'],
  ['Japanese voicing', '門は かき で 開く と 言った', '門は かぎ で 開く と 言った'],
  ['full width', '端口 是 ４２１０ 号 服务器', '端口 是 4210 号 服务器'],
  ['a Chinese negation', '服务器 不 在 柏林 运行', '服务器 在 柏林 运行 着'],
  ['a skin tone', 'The sign for done is 👍🏽 here', 'The sign for done is 👍 here'],
  ['a superscript', 'The area is 10 m² in all', 'The area is 10 m2 in all'],
  ['a minus sign', 'The offset is −5 at noon', 'The offset is 5 at noon'],
  ['YAML nesting', 'server:\n  port: 80\n  tls:\n    on: true', 'server:\n  port: 80\n  tls:\n  on: true'],
  ['a table column', '| a | b |\n|---|---|\n| 1 |   |', '| a | b |\n|---|---|\n|   | 1 |'],
  ['a CSV of blanks', 'Mia, 42 , Oslo , yes', 'Mia, 42, Oslo , yes'],
  ['a line of a change', '-  timeout: 30 seconds each', '+  timeout: 30 seconds each'],
  ['a shell comment', '# rm -rf build dist cache', 'rm -rf build dist cache'],
  ['shell quotes', `grep 'a b' file names here`, 'grep "a b" file names here'],
  ['a regular expression', 'Names match ^a.*b$ in full', 'Names match ^a.*?b$ in full'],
  ['Python emphasis', 'Call run(*args, **kwargs) at first', 'Call run(args, kwargs) at first'],
  ['Python nesting', 'if a:\n    b()\n    c()', 'if a:\n    b()\nc()'],
  ['an SQL wildcard', 'Select * from a, * from b', 'Select from a, from b'],
  ['LaTeX', 'The sum is $a_1 b_2$ in all', 'The sum is $a1 b2$ in all'],
  ['a verse', 'roses are red\nviolets are blue', 'roses are red violets are blue'],
  ['a number before a step', '2. Open the gate at six', '3. Open the gate at six'],
  ['a final version', 'The shop needs Redis 7.', 'The shop needs Redis 7.0'],
]

test.each(PAIRS)('remember of two texts that differ in %s makes two blocks', async (_, one, other) => {
  const { memory } = await openTestMemory()
  const first = await memory.remember({ content: one })
  await memory.dream()
  await memory.recall({ query: one, minStrength: 0 })
  const second = await memory.remember({ content: other })
  expect(second.status).toBe('created')
  await memory.dream()
  for (const [id, content] of [
    [first.blockId, one],
    [second.blockId, other],
  ] as const)
    expect((await memory.show({ blockId: id })).block).toMatchObject({ status: 'active', content })
})
