import { expect, test } from 'vitest'
import { openTestMemory } from '../helpers/memory.ts'

/** Facts that differ in something a rule about looks may overlook. */
const PAIRS: readonly (readonly [kind: string, one: string, other: string])[] = [
  ['German case', 'Die Spinnen sind im Keller', 'Die spinnen sind im Keller'],
  ['a Turkish letter', 'Der Ort heißt Sığır heute', 'Der Ort heißt Siğir heute'],
  ['a French accent', 'Il a mange la pomme hier', 'Il a mangé la pomme hier'],
  ['a Spanish tilde', 'El año pasado fue bueno', 'El ano pasado fue bueno'],
  ['an inverted mark', '¿Ana viene hoy a casa?', 'Ana viene hoy a casa'],
  ['Russian negation', 'Сервер не работает в Москве', 'Сервер работает в Москве'],
  ['Greek stress', 'Η πύλη ανοίγει ποτέ μόνη', 'Η πύλη ανοίγει πότε μόνη'],
  ['Hebrew points', 'השער נפתח בָּעִיר בבוקר', 'השער נפתח בעיר בבוקר'],
  ['an Arabic mark of doubling', 'قرأ المعلم الدرس في الصف', 'قرّأ المعلم الدرس في الصف'],
  ['Japanese voicing', '門は かき で 開く と 言った', '門は かぎ で 開く と 言った'],
  ['full width', '端口 是 ４２１０ 号 服务器', '端口 是 4210 号 服务器'],
  ['a Chinese negation', '服务器 不 在 柏林 运行', '服务器 在 柏林 运行 着'],
  ['Hindi vowel signs', 'गेट छह बजे खुलता है', 'गेट छह बजे खुलती है'],
  ['a skin tone', 'The sign for done is 👍🏽 here', 'The sign for done is 👍 here'],
  ['a family of emoji', 'The icon is 👨‍👩‍👧 on top', 'The icon is 👨‍👩‍👦 on top'],
  ['a superscript', 'The area is 10 m² in all', 'The area is 10 m2 in all'],
  ['a fraction', 'Add ½ cup of water first', 'Add 1/2 cup of water first'],
  ['a minus sign', 'The offset is −5 at noon', 'The offset is 5 at noon'],
  ['YAML nesting', 'server:\n  port: 80\n  tls:\n    on: true', 'server:\n  port: 80\n  tls:\n  on: true'],
  ['YAML quotes', 'version: 1.10', 'version: "1.10"'],
  ['a YAML list', '- port: 80\n- tls: on', 'port: 80\ntls: on'],
  ['a table column', '| a | b |\n|---|---|\n| 1 |   |', '| a | b |\n|---|---|\n|   | 1 |'],
  ['a CSV field', 'Mia,,42,Oslo', 'Mia,42,,Oslo'],
  ['a CSV of blanks', 'Mia, 42 , Oslo , yes', 'Mia, 42, Oslo , yes'],
  ['TSV', 'Mia\t\t42\tOslo', 'Mia\t42\t\tOslo'],
  ['a line of a change', '-  timeout: 30 seconds each', '+  timeout: 30 seconds each'],
  ['a moved line', '- The timeout is = 30', '+ the timeout is = 30'],
  ['a hunk', '@@ -1,2 +1,2 @@\n-a\n+b', '@@ -1,2 +1,2 @@\n+a\n-b'],
  ['a shell comment', '# rm -rf build dist cache', 'rm -rf build dist cache'],
  ['a shell glob', 'rm **/old logs/** in tmp', 'rm /old logs/ in tmp'],
  ['shell quotes', `grep 'a b' file names here`, 'grep "a b" file names here'],
  ['shell redirection', 'Send make output > build.log now', 'Send make output >> build.log now'],
  ['a heredoc', 'cat <<EOF\n  a\nEOF', 'cat <<-EOF\n  a\nEOF'],
  ['a regular expression', 'Names match ^a.*b$ in full', 'Names match ^a.*?b$ in full'],
  ['an escape', 'The path is C:\\new in there', 'The path is C:\\\\new in there'],
  ['Python emphasis', 'Call run(*args, **kwargs) at first', 'Call run(args, kwargs) at first'],
  ['dunder names', 'Define __init__ and also __call__ there', 'Define init and also call there'],
  ['Python nesting', 'if a:\n    b()\n    c()', 'if a:\n    b()\nc()'],
  ['a C pointer', 'Type is int *a and *b there', 'Type is int a and b there'],
  ['an SQL wildcard', 'Select * from a, * from b', 'Select from a, from b'],
  ['a Go import', 'import . "fmt" in every test', 'import "fmt" in every test'],
  ['a rust lifetime', "Take &'a str as an input", 'Take &a str as an input'],
  ['LaTeX', 'The sum is $a_1 b_2$ in all', 'The sum is $a1 b2$ in all'],
  ['a footnote', 'The rate is 5 % a year*', 'The rate is 5 % a year'],
  ['a verse', 'roses are red\nviolets are blue', 'roses are red violets are blue'],
  ['Windows and other line ends', 'a:\r\n  b', 'a:\n b'],
  ['a number before a step', '2. Open the gate at six', '3. Open the gate at six'],
  ['an abbreviation', 'We meet at 6 p.m.', 'We meet at 6 p.m'],
  ['a final version', 'The shop needs Redis 7.', 'The shop needs Redis 7.0'],
  ['an ellipsis', 'The rest is to follow...', 'The rest is to follow.'],
  ['two marks', 'The gate opens at six!!', 'The gate opens at six!'],
]

test.each(PAIRS)('%s makes two facts, also after a dream and a recall', async (_, one, other) => {
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
