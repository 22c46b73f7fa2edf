import fc from 'fast-check'
import { expect, test } from 'vitest'
import { leastTrusted, mayCover, SOURCE_CLASSES, sourceClassOf, sourceName } from './block.ts'

const anyClass = fc.constantFrom(...SOURCE_CLASSES)
const said = (source?: string) => ({
  category: 'knowledge',
  tags: [],
  ...(source === undefined ? {} : { source }),
})
const RULES = { agentName: 'elf', highest: 'user' as const }

test('sourceClassOf of a message or a block with a tag of a peer is peer or less', () => {
  fc.assert(
    fc.property(anyClass, fc.boolean(), (declared, isMessage) => {
      const block = isMessage
        ? { category: 'message', tags: [] }
        : { category: 'note', tags: ['peer/from:eve'] }
      expect(sourceClassOf({ ...block, declared }, RULES)).toBe(leastTrusted(declared, 'peer'))
    }),
  )
})

test('sourceClassOf gives no class above the highest that a caller may claim', () => {
  fc.assert(
    fc.property(
      fc.option(anyClass, { nil: undefined }),
      fc.string(),
      anyClass,
      (declared, source, highest) => {
        const given = sourceClassOf({ ...said(source), declared }, { agentName: 'elf', highest })
        expect(mayCover(highest, given)).toBe(true)
      },
    ),
  )
})

test.each([
  ['tool', 'tool: grep', 'tool: grep'],
  ['tool', 'Tool/grep', 'tool: grep'],
  ['tool', 'tool', 'tool'],
  ['tool', 'toolbox', 'tool: toolbox'],
  ['agent', 'owner', 'agent: owner'],
  ['agent', 'agent:', 'agent: agent:'],
  ['user', 'owner', 'user: owner'],
  ['document', 'document: document: owner', 'document: document: owner'],
] as const)('sourceName of the class %s and the source %j is %j', (sourceClass, source, name) => {
  expect(sourceName({ sourceClass, source })).toBe(name)
})
