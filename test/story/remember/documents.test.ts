import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cutMarkdown } from '../../../src/adapters/markdown/cut.ts'
import { estimateTokens } from '../../../src/block/text.ts'
import { openTestMemory, refusal } from '../../helpers/memory.ts'

const DOCUMENT = `Preface words.

# Kitchen

The oven is old. It needs a new door.

## Tea

- green tea at seven
- black tea at four

| day | cake |
|-----|------|
| Mon | plum |

# Garden
`

test('learnDocument makes chunks in the order of the text, with their headings, in one session', async () => {
  const { memory } = await openTestMemory()
  const learned = await memory.learnDocument({ text: DOCUMENT, source: 'HOUSE.md', tags: ['house'] })
  expect(learned).toMatchObject({ chunksTotal: 4, chunksCreated: 4, chunksDuplicate: 0, pending: 4 })
  const { blocks } = await memory.inbox()
  expect(blocks.map(({ id }) => id)).toEqual(learned.blockIds)
  expect(blocks.map(({ content }) => content.split('\n')[0])).toEqual([
    'Preface words.',
    'Kitchen',
    'Kitchen > Tea',
    'Garden',
  ])
  expect(blocks[2]?.content).toContain('| Mon | plum |')
  expect(new Set(blocks.map(({ session }) => session))).toEqual(new Set([learned.session]))
  expect(blocks.every(({ source, tags }) => source === 'HOUSE.md' && tags.join() === 'house')).toBe(true)
  const { block } = await memory.show({ blockId: learned.blockIds[3] as string })
  expect(block.position).toBe(3)
})

test('learnDocument reports its progress, and refuses an empty text', async () => {
  const { memory } = await openTestMemory({ kind: 'memory' })
  expect((await refusal(memory.learnDocument({ text: ' \n\n---\n' }))).code).toBe('INVALID_INPUT')
  const text = Array.from({ length: 150 }, (_, i) => `# Part ${i}\n\nNumber ${i} matters.`).join('\n\n')
  const seen: number[] = []
  const { chunksCreated } = await memory.learnDocument({ text }, { progress: ({ done }) => seen.push(done) })
  expect(chunksCreated).toBe(150)
  expect(seen).toEqual([64, 128, 150])
})

test('cutMarkdown makes no chunk longer than asked and loses no word', () => {
  const words = fc.array(
    fc.constantFrom('tea', 'oven.', 'Is', 'it?', 'naïve', '# Cake', '- item', '```', '| a |', '', '> said'),
    {
      maxLength: 120,
    },
  )
  const glue = fc.constantFrom(' ', '\n', '\n\n')
  fc.assert(
    fc.property(
      fc.array(fc.tuple(words, glue), { maxLength: 6 }),
      fc.integer({ min: 16, max: 64 }),
      (parts, maxTokens) => {
        const text = parts.map(([each, between]) => each.join(between)).join('\n\n')
        const chunks = cutMarkdown(text, maxTokens)
        for (const chunk of chunks) expect(estimateTokens(chunk.text)).toBeLessThanOrEqual(maxTokens)
        const held = new Set(chunks.flatMap((chunk) => chunk.text.match(/\p{L}+/gu) ?? []))
        for (const word of text.match(/\p{L}+/gu) ?? []) expect(held).toContain(word)
      },
    ),
    { numRuns: 100 },
  )
})
