import fc from 'fast-check'
import { expect } from 'vitest'
import { createHashingEmbedder } from '../../src/adapters/embed/hashing.ts'
import { cutMarkdown } from '../../src/adapters/markdown/cut.ts'
import { FRAME_NAMES } from '../../src/config/frames.ts'
import { settingsSchema } from '../../src/config/settings.ts'
import { undressed } from '../../src/domain/text/same-text.ts'
import { estimateTokens } from '../../src/domain/text/text.ts'
import { ElfmemError } from '../../src/errors.ts'
import { type Memory, openMemory } from '../../src/memory.ts'
import { linesOf } from '../attacks/frame-lines.ts'
import { createTestClock } from '../helpers/clock.ts'
import { type Bound, tryFor } from './bound.ts'
import { hostileText } from './hostile.ts'

/** Words that stand in no other place, so that none can be lost or moved unseen. */
let words = 0
const word = (): string => `w${words++}q`
const many = (count: number, glue: string): string => Array.from({ length: count }, word).join(glue)

/** One part of a document, with fresh words wherever it has any. */
const part: fc.Arbitrary<() => string> = fc.oneof(
  fc.tuple(fc.integer({ min: 1, max: 6 }), fc.integer({ min: 0, max: 40 })).map(
    ([depth, count]) =>
      () =>
        `${'#'.repeat(depth)} ${many(count, ' ')}`,
  ),
  fc.tuple(fc.integer({ min: 1, max: 60 }), fc.constantFrom(' ', '\n', '. ', ', ', '  \n')).map(
    ([count, glue]) =>
      () =>
        many(count, glue),
  ),
  fc.tuple(fc.integer({ min: 1, max: 9 }), fc.constantFrom('- ', '1. ', '* ', '  - ', '- [ ] ')).map(
    ([count, mark]) =>
      () =>
        Array.from({ length: count }, () => `${mark}${many(3, ' ')}`).join('\n'),
  ),
  fc.tuple(fc.integer({ min: 0, max: 30 }), fc.constantFrom('```', '~~~', '````', '```js'), fc.boolean()).map(
    ([count, fence, closed]) =>
      () =>
        `${fence}\n${many(count, '\n')}${closed ? `\n${fence.replace('js', '')}` : ''}`,
  ),
  fc
    .integer({ min: 0, max: 12 })
    .map(
      (rows) => () =>
        `| ${word()} | ${word()} |\n| --- | --- |\n${Array.from({ length: rows }, () => `| ${word()} | ${word()} |`).join('\n')}`,
    ),
  fc
    .constantFrom(
      '---',
      '***',
      '===',
      '> ',
      '    ',
      '<!-- ',
      '<div>',
      '[a]: http://b ',
      '## Who you are',
      '[1] ',
      '[!] ',
      '| ',
      '> said (2026-01-01, eve)',
      '## What you know that bears on this\n[1] ',
      '```\n## Your goals\n',
      '\r\n',
      '\t',
      '\u2028',
      '\u00a0',
      '\\',
    )
    .map((mark) => () => `${mark}${word()}`),
  fc.integer({ min: 500, max: 6_000 }).map((length) => () => `${word()}${'x'.repeat(length)}`),
)

/** A document of parts; its words are new at every look, so two looks at one are two documents. */
const documents = fc
  .tuple(fc.array(part, { minLength: 1, maxLength: 12 }), fc.constantFrom('\n\n', '\n', '\r\n', '\n\n\n'))
  .map(([parts, glue]) => {
    words = 0
    return parts.map((make) => make()).join(glue)
  })

const anyText = fc.oneof(
  documents,
  fc
    .array(
      fc.constantFrom(
        '#',
        ' ',
        '\n',
        '`',
        '-',
        '|',
        '>',
        '*',
        '_',
        '[',
        ']',
        '(',
        ')',
        '<',
        '1.',
        'a',
        '\t',
        '\\',
      ),
      {
        maxLength: 80,
      },
    )
    .map((all) => all.join('')),
  hostileText,
)

const CHUNK_TOKENS = settingsSchema.parse({}).memory.chunkTokens

const source = fc.oneof(fc.constantFrom('NOTES.md', 'eve'), hostileText)

/** Whatever a document holds: its words arrive, in their order, as blocks of ordinary standing. */
export async function tryDocuments(bound: Bound): Promise<void> {
  const part = { ...bound, seconds: bound.seconds / 2 }
  await tryFor(part, fc.tuple(documents, fc.integer({ min: 24, max: 400 })), expectWhole, { round: 25 })
  await tryFor(part, fc.tuple(anyText, source), expectOrdinary, { round: 5 })
}

/** Nothing is lost, nothing comes before what it came after, nothing is larger than it may be. */
async function expectWhole([text, maxTokens]: readonly [string, number]): Promise<void> {
  const chunks = cutMarkdown(text, maxTokens)
  const all = chunks.map((chunk) => chunk.text).join('\n')
  const wanted = text.match(/w\d+q/g) ?? []
  const found = new Set(all.match(/w\d+q/g) ?? [])
  expect(wanted.filter((each) => !found.has(each))).toEqual([])
  const bodies = chunks.map((chunk) => bodyOf(chunk)).join('\n')
  const places = wanted.map((each) => bodies.indexOf(each)).filter((place) => place >= 0)
  expect(places).toEqual([...places].sort((one, other) => one - other))
  for (const chunk of chunks) expect(estimateTokens(chunk.text)).toBeLessThanOrEqual(maxTokens)
}

/** A chunk without the heading that is repeated before it. */
function bodyOf({ text, heading }: { readonly text: string; readonly heading?: string }): string {
  return heading === undefined ? text : text.slice(heading.length)
}

async function expectOrdinary([text, from]: readonly [string, string]): Promise<void> {
  const memory = await openMemory(':memory:', {
    embedder: createHashingEmbedder(),
    clock: createTestClock(),
    as: 'owner',
  })
  try {
    await memory.setup({ principles: ['I say what I do not know.'] })
    const tags = ['project/atlas']
    const input = { text, source: from, tags }
    const learnt = await memory.learnDocument(input).catch(refusalOf)
    if (learnt === undefined) return
    const shown = await Promise.all(learnt.blockIds.map((blockId) => memory.show({ blockId })))
    const chunks = cutMarkdown(text, CHUNK_TOKENS).map((chunk) => chunk.text)
    const contents = shown.map(({ block }) => block.content)
    // Chunks that say the same are one block, in the words of the first of them.
    expect(contents.map(undressed)).toEqual([...new Set(chunks.map(undressed))])
    expect(contents.filter((content) => !chunks.includes(content))).toEqual([])
    expect(new Set(shown.flatMap(({ block }) => block.tags))).toEqual(new Set(tags))
    const again = await memory.learnDocument(input)
    expect(again).toMatchObject({ chunksCreated: 0, blockIds: learnt.blockIds })
    await memory.dream()
    await expectFrames(memory)
  } finally {
    await memory.close()
  }
}

async function expectFrames(memory: Memory): Promise<void> {
  for (const frame of FRAME_NAMES) {
    const { text, blocks } = await memory.recall({
      frame,
      query: 'which words are known, and who am I?',
      topK: 1_000,
      tokenBudget: 100_000,
      minStrength: 0,
      reinforce: false,
    })
    const lines = linesOf(text)
    expect(lines.filter(({ kind }) => kind === 'outside')).toEqual([])
    expect(lines.filter(({ kind }) => kind === 'entry')).toHaveLength(blocks.length)
  }
}

function refusalOf(error: unknown): undefined {
  if (!ElfmemError.is(error)) throw new Error('the document failed with no error of ours', { cause: error })
  expect(['INVALID_INPUT', 'PROTECTED']).toContain(error.code)
}
