import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  isLessTrusted,
  isOwn,
  leastTrusted,
  OWN_CLASSES,
  SOURCE_CLASSES,
  sourceClassOf,
  sourceName,
} from './source-class.ts'

const anyClass = fc.constantFrom(...SOURCE_CLASSES)
const said = (source?: string) => ({
  category: 'knowledge',
  tags: [],
  ...(source === undefined ? {} : { source }),
})
const RULES = { agentName: 'elf', highest: 'user' as const }

test('what derives from many is trusted as little as the least of them, in whatever order', () => {
  fc.assert(
    fc.property(fc.array(anyClass, { minLength: 1 }), (classes) => {
      const lowest = Math.max(...classes.map((each) => SOURCE_CLASSES.indexOf(each)))
      expect(classes.reduce(leastTrusted)).toBe(SOURCE_CLASSES[lowest])
      expect(classes.toReversed().reduce(leastTrusted)).toBe(SOURCE_CLASSES[lowest])
      expect(classes.some((each) => isLessTrusted(each, classes.reduce(leastTrusted)))).toBe(false)
    }),
  )
})

test('only the owner and the agent itself speak of who the agent is', () => {
  expect(SOURCE_CLASSES.filter((sourceClass) => isOwn({ sourceClass }))).toEqual(['user', 'agent'])
})

test.each([
  [undefined, 'agent'],
  ['  ', 'agent'],
  ['ELF', 'agent'],
  ['assistant', 'agent'],
  ['User', 'user'],
  ['owner', 'user'],
  ['Ana', 'document'],
  ['https://example.org', 'document'],
  ['tool', 'tool'],
  ['tool: grep', 'tool'],
  ['Model/gpt', 'model'],
  ['peer:did:x', 'peer'],
  ['toolbox', 'document'],
  ['user: Ana', 'document'],
  ['agent:reviewer', 'document'],
])('a text whose source is %j is spoken by %s', (source, expected) => {
  expect(sourceClassOf(said(source), RULES)).toBe(expected)
})

test('a message and whatever has a tag of a peer is a peer’s, or less, whatever is declared', () => {
  fc.assert(
    fc.property(anyClass, fc.boolean(), (declared, isMessage) => {
      const block = isMessage
        ? { category: 'message', tags: [] }
        : { category: 'note', tags: ['peer/from:eve'] }
      expect(sourceClassOf({ ...block, declared }, RULES)).toBe(leastTrusted(declared, 'peer'))
    }),
  )
})

test('nobody claims more than they may', () => {
  fc.assert(
    fc.property(
      fc.option(anyClass, { nil: undefined }),
      fc.string(),
      anyClass,
      (declared, source, highest) => {
        const given = sourceClassOf({ ...said(source), declared }, { agentName: 'elf', highest })
        expect(isLessTrusted(highest, given)).toBe(false)
      },
    ),
  )
})

test('no name of a source passes the words of others for the agent’s or the owner’s', () => {
  const labels = fc.oneof(
    fc.string(),
    fc.constantFrom(
      'user',
      'ELF',
      ' me ',
      'assistant',
      'tool: x',
      'Ana',
      '',
      'Owner',
      'ｏｗｎｅｒ',
      'owner (checked)',
    ),
  )
  fc.assert(
    fc.property(anyClass, labels, (sourceClass, source) => {
      const name = sourceName({ sourceClass, source })
      const isOwners = /^[^\p{L}]*(?:user|human|owner|me)(?!\p{L})/iu.test(source.normalize('NFKC'))
      if (sourceClass === 'user') expect(name).toBe(source)
      else if (sourceClass === 'agent') expect(name).toBe(isOwners ? `agent: ${source.trim()}` : source)
      else {
        const read = sourceClassOf(said(name), RULES)
        expect(OWN_CLASSES).not.toContain(read)
        expect(read === sourceClass || name?.startsWith(`${sourceClass}: `)).toBe(true)
      }
    }),
  )
})
