import fc from 'fast-check'
import { expect, test } from 'vitest'
import { setOnPage, styleFor } from '../../src/surfaces/cli/screen/style.ts'
import { openTestMemory } from '../helpers/memory.ts'
import { elfmem, temporaryDirectory } from '../surfaces/helpers/cli.ts'
import { connectClient } from '../surfaces/helpers/roads.ts'

const LAMP = 'The lamp at Korv is no longer bought from Strand & Sons; Lumo delivers it.'
const DEPLOYS = 'Deploys run on Tuesdays behind the blue gate of the harbour, after the ferry has left'
const OWN = 'Ben has the key of the tower'
const ASKED = { query: 'Who delivers the lamp at Korv, and when do deploys run?', minStrength: 0 }

async function recalled(ids = true) {
  const opened = await openTestMemory()
  const [lamp = '', deploys = ''] = await opened.learn(LAMP, DEPLOYS)
  const { text, note = '', recallId } = await opened.memory.recall({ ...ASKED, ids })
  const entry = text.split('\n').find((line) => line.includes(LAMP)) ?? ''
  const other = text.split('\n').find((line) => line.includes(DEPLOYS)) ?? ''
  const screen = `${text}\n\nrecall ${recallId}\n${note}`
  return { ...opened, lamp, deploys, text, entry, other, screen }
}

const style = styleFor({ write: () => true }, { env: {} })
const onPage = (text: string) => setOnPage(text, { style, width: 60 })
const linesOf = (text: string, by: (line: string) => string) => text.split('\n').map(by).join('\n')
const folded = (text: string) => linesOf(text, (line) => line.replace(/.{60}(?=.)/g, '$&\n'))
const foldedAtBlanks = (text: string) =>
  linesOf(text, (line) => (line.length > 60 ? line.replace(/.{1,59} (?=\S)/g, '$&\n') : line))
const filled = (text: string) =>
  text
    .split('\n\n')
    .map((paragraph) =>
      paragraph
        .replaceAll('\n', ' ')
        .replace(/(.{1,58})(?: |$)/g, '$1\n')
        .trimEnd(),
    )
    .join('\n\n')

const WAYS = [
  ['set at the width of a terminal', onPage],
  ['folded within words', folded],
  ['folded at blanks', foldedAtBlanks],
  ['filled up', filled],
  ['set with blanks that do not break', (text: string) => text.replaceAll(' ', '\u00a0')],
  ['folded with the line ends of Windows', (text: string) => folded(text).replaceAll('\n', '\r\n')],
] as const

test.each(WAYS)('an entry, several, or a whole screen %s makes no copy', async (_, way) => {
  for (const ids of [true, false]) {
    const { memory, lamp, text, entry, screen } = await recalled(ids)
    expect(way(entry)).not.toBe(entry)
    expect(await memory.remember({ content: way(entry) })).toMatchObject({
      status: 'duplicate',
      echoOf: lamp,
    })
    for (const said of [way(text), way(screen)])
      expect(await memory.remember({ content: said })).toMatchObject({ status: 'duplicate' })
    expect(await memory.status()).toMatchObject({ echoes: 3, inboxCount: 0, activeCount: 2 })
  }
})

test.each(WAYS)('own words beside what was %s are refused with nothing but themselves', async (_, way) => {
  const { memory, entry, screen } = await recalled()
  for (const shown of [way(entry), way(screen)])
    for (const said of [`${shown}\n${OWN}`, `${OWN}\n${shown}`, `${OWN}\n\n${shown}`]) {
      const refused = await memory.remember({ content: said }).catch((error) => error)
      expect(refused).toMatchObject({ code: 'FRAME_IN_TEXT', details: { newWords: OWN } })
    }
})

test.each(WAYS)('a document keeps its own words around what was %s', async (_, way) => {
  const { memory, screen } = await recalled()
  const text = `${OWN}.\n\n${way(screen)}\n\nThe ferry\n  leaves at nine.`
  const learnt = await memory.learnDocument({ text, source: 'a.md' })
  const shown = await Promise.all(learnt.blockIds.map((blockId) => memory.show({ blockId })))
  const words = shown.map(({ block }) => block.content).filter((each) => ![LAMP, DEPLOYS].includes(each))
  expect(words.join('\n\n')).toBe(`${OWN}.\n\nThe ferry\n  leaves at nine.`)
  expect(learnt.blockIds.length - words.length).toBe(2)
})

test('an entry is known in quotation marks, in bold, without its date, with its full id, and as ls prints it', async () => {
  const { memory, lamp, entry } = await recalled()
  const dateless = entry.replace(/ \(\d{4}-[^()]*\)/, '')
  expect(dateless).not.toBe(entry)
  const full = (text: string) => text.replace(lamp.slice(0, 8), lamp)
  for (const said of [
    dateless,
    full(entry),
    full(dateless),
    `${lamp.slice(0, 8)}  ${LAMP}`,
    `${lamp}  ${LAMP}`,
  ])
    for (const content of [said, `"${said}"`, `“${said}”`, `**${said}**`, onPage(said), onPage(`  ${said}`)])
      expect([content, await memory.remember({ content })]).toMatchObject([content, { echoOf: lamp }])
  for (const content of [`deadbeef  ${LAMP}`, `"${LAMP}"`])
    expect((await memory.remember({ content })).status).toBe('created')
})

test('words before an entry on its line are refused as those behind it are', async () => {
  const { memory, other } = await recalled()
  for (const [content, newWords] of [
    [`NOT: ${other}`, 'NOT:'],
    [`I doubt ${other} since May`, 'I doubt\nsince May'],
    [`I doubt ${onPage(other)}`, 'I doubt'],
    [`${other} ${OWN}`, OWN],
  ] as const) {
    const refused = await memory.remember({ content }).catch((error) => error)
    expect(refused).toMatchObject({ code: 'FRAME_IN_TEXT', details: { newWords } })
  }
})

test('the note under an answer is nothing to remember without it', async () => {
  const { memory, screen } = await recalled()
  const note = screen.split('\n').at(-1) ?? ''
  expect(note).toMatch(/^Match \(probability/)
  for (const content of [note, screen.split('\n').slice(-2).join('\n')]) {
    const refused = await memory.remember({ content }).catch((error) => error)
    expect(refused).toMatchObject({ code: 'FRAME_IN_TEXT', details: { newWords: '' } })
    expect((await memory.remember({ content: `${content} ${OWN}` })).status).toBe('created')
  }
  expect((await memory.remember({ content: 'recall 10' })).status).toBe('created')
})

test('an edit refuses what a recall showed as remember does, and takes own words that name an id', async () => {
  const { memory, lamp, deploys, text, entry, other } = await recalled()
  for (const content of [text, onPage(text), `${entry}\n${other}`, entry, `${onPage(other)}\n${OWN}`])
    expect(await memory.edit({ blockId: lamp, content }).catch((error) => error)).toMatchObject({
      code: 'FRAME_IN_TEXT',
      details: { newWords: content.includes(OWN) ? OWN : '' },
    })
  expect((await memory.show({ blockId: lamp })).block.content).toBe(LAMP)
  for (const content of [
    `${LAMP} See ${deploys.slice(0, 8)}`,
    `The lamp [2] of Korv (${deploys.slice(0, 8)})`,
    `${LAMP}\n${OWN}`,
  ]) {
    expect((await memory.edit({ blockId: lamp, content })).changed).toEqual(['content'])
    expect((await memory.show({ blockId: lamp })).block.content).toBe(content)
  }
})

test('a block that keeps a frame on purpose can be edited', async () => {
  const { memory, text } = await recalled()
  const { blockId } = await memory.remember({ content: `${text}\n${OWN}`, keepFrame: true })
  expect((await memory.edit({ blockId, content: `${text}\n${OWN}s` })).changed).toEqual(['content'])
})

test('half an entry, other words, and words run together stay own words', async () => {
  const { memory, entry } = await recalled()
  for (const content of [
    onPage(entry.slice(0, 70)),
    onPage(entry).split('\n')[0] ?? '',
    onPage(entry).replace('Lumo', 'Luma'),
    onPage(entry).replace('Strand & Sons', 'Strand&Sons'),
    entry.replace('no longer', 'nolonger'),
    entry.replace('longer', 'long er'),
    `${folded(LAMP)}`,
    LAMP.replace('longer', 'long\ner'),
    `${LAMP.replace('Korv ', 'Korv\n')}\n${OWN}`,
  ])
    expect([content, (await memory.remember({ content })).status]).toEqual([content, 'created'])
})

test('no own word around shown text is lost or swallowed, however the lines break', async () => {
  const { memory, entry, other, lamp, screen } = await recalled()
  const word = fc.oneof(
    fc.constantFrom(
      '[1]',
      '[2]',
      'recall',
      '10',
      '(2026-11-25)',
      '-',
      '↳',
      '#',
      lamp.slice(0, 8),
      'The',
      'lamp',
    ),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 6 }),
  )
  const words = fc.array(word, { maxLength: 6 }).map((all) => all.join(' '))
  const piece = fc
    .tuple(fc.constantFrom(entry, other, screen), fc.nat(60), fc.nat(60))
    .map(([text, from, less]) => text.slice(from, text.length - less))
  const shown = fc.oneof(fc.constantFrom(entry, other, screen, LAMP), piece)
  const way = fc.constantFrom<(text: string) => string>(...WAYS.map(([, each]) => each), (text) => text)
  const lettersOf = (text: string) => text.replace(/[^\p{L}\p{N}]/gu, '')
  await fc.assert(
    fc.asyncProperty(
      words,
      shown,
      words,
      way,
      fc.constantFrom(' ', '\n'),
      async (before, text, after, by, gap) => {
        const marker = 'Zzq'
        const content = `${before}${marker}${gap}${by(text)}${gap}${marker}${after}`
        const told = await memory
          .remember({ content })
          .then(({ status, blockId }) => ({ status, blockId, newWords: undefined }))
          .catch((error) => ({ status: error.code, blockId: '', newWords: error.details?.newWords }))
        if (told.newWords === undefined) {
          expect(told.status).toMatch(/created|INVALID|duplicate/)
          if (told.blockId)
            expect(lettersOf((await memory.show({ blockId: told.blockId })).block.content)).toContain(marker)
        } else {
          expect(told.status).toBe('FRAME_IN_TEXT')
          const own = lettersOf(told.newWords)
          expect(own).toContain(lettersOf(`${before.trim().split(/\s/).at(-1)}${marker}`))
          expect(own).toContain(lettersOf(`${marker}${after.trim().split(/\s/)[0]}`))
        }
      },
    ),
    { numRuns: 300 },
  )
})

test('a command knows what the command before it set on a page', async () => {
  const home = temporaryDirectory()
  const say = async (...argv: string[]) => (await elfmem(argv, { home })).out
  for (const content of [LAMP, DEPLOYS]) await say('remember', content)
  await say('dream')
  const screen = await say('recall', ASKED.query)
  const entry = screen.split('\n').find((line) => line.includes(LAMP)) ?? ''
  expect(entry).not.toBe('')
  for (const way of [onPage, folded, filled])
    for (const said of [way(entry), way(screen.trim())])
      expect(JSON.parse(await say('remember', said, '--json')).status).toBe('duplicate')
})

test('principles and blocks of several lines are known again on a page, too', async () => {
  const { memory, learn } = await openTestMemory()
  await memory.setup({ principles: [`Tell the truth about ${DEPLOYS.toLowerCase()}`, 'Be kind, be brief'] })
  await learn(
    `${LAMP}\nIt hangs over the gate of the harbour, and the ferry sees it from far away.\n- It is blue.`,
  )
  for (const asked of [{ frame: 'self' }, ASKED] as const) {
    const { text } = await memory.recall({ ...asked, ids: true })
    for (const said of [onPage(text), folded(text), foldedAtBlanks(text)]) {
      expect(said).not.toBe(text)
      expect([said, (await memory.remember({ content: said })).status]).toEqual([said, 'duplicate'])
    }
  }
})

test('a tool refuses own words beside wrapped ones with nothing but those', async () => {
  const { memory, entry } = await recalled()
  const client = await connectClient(memory)
  const remember = async (content: string) =>
    JSON.stringify(await client.callTool({ name: 'elfmem_remember', arguments: { content } }))
  expect(await remember(onPage(entry))).toContain('"duplicate"')
  const refused = await remember(`${onPage(entry)}\n${OWN}`)
  expect(refused).toContain('FRAME_IN_TEXT')
  expect(refused).toContain(`new words: ${OWN}`)
})
