/** Serves the memory of a file to whoever writes calls as lines of JSON; the answers come back as lines. */
import { createInterface } from 'node:readline'
import { openMemory } from '../../../src/engine/memory.ts'
import type { OpenMemory } from '../../../src/engine/open-memory.ts'
import { operations } from '../../../src/operations/table.ts'

const [path = ''] = process.argv.slice(2)
const config = { embeddings: { provider: 'hashing' }, memory: { autoDream: 'off' } } as const
const memory = (await openMemory(path, { config, as: 'owner' })) as unknown as OpenMemory
process.stdout.write('{"ready":true}\n')
for await (const line of createInterface({ input: process.stdin })) {
  const { name, input, once } = JSON.parse(line) as { name: string; input: object; once: string }
  const operation = operations.find((each) => each.name === name)
  if (operation === undefined) throw new Error(name)
  const say = (answer: object) => process.stdout.write(`${JSON.stringify({ once, ...answer })}\n`)
  void memory.call(operation, input, { once }).then(
    (output) => say({ output }),
    (error) => say({ code: error.code, message: error.message }),
  )
}
