import { expect, test } from 'vitest'
import { operations } from '../../src/operations/table.ts'
import { importsOf, readSources } from '../helpers/sources.ts'

const sources = readSources()
const imports = importsOf(sources)
/** What each file says, without what records say of themselves. */
const textOf = new Map(sources.map(({ file, text }) => [file, text.replace(/ refuses: \[[^\]]*\]/, '')]))

/** Codes of ports: the code that throws them is connected when a memory is opened. */
const OF_PORTS = ['EMBEDDER_FAILED', 'STORE_TOO_NEW']

/** What the files say that the record of an operation needs, its own first. */
function textsFor(name: string): readonly string[] {
  const isRecord = ([file, text]: readonly [string, string]) =>
    file.startsWith('operations/') && text.includes(`  name: '${name}',`)
  const reached = new Set([...textOf].filter(isRecord).map(([file]) => file))
  for (const each of reached) for (const { from, to } of imports) if (from === each) reached.add(to)
  reached.delete('errors.ts')
  return [...reached].map((file) => textOf.get(file) ?? '')
}

const refusing = operations.filter(({ refuses = [] }) => refuses.length > 0)

test.each(refusing)('$name names only codes of refusals that what it needs can throw', (operation) => {
  const texts = textsFor(operation.name)
  const isThrown = (code: string) => texts.some((text) => text.includes(`'${code}'`))
  const named = (operation.refuses ?? []).filter((code) => !OF_PORTS.includes(code))
  expect(named.filter((code) => !isThrown(code))).toEqual([])
})
