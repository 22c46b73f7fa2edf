import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createHashingEmbedder } from '../../src/adapters/embed/hashing.ts'
import { openMemory } from '../../src/memory.ts'
import { temporaryFolder } from '../helpers/memory.ts'
import { tracesIn } from '../helpers/traces.ts'
import { createDice } from './dice.ts'
import { runAndDie } from './run-and-die.ts'
import { problemsIn } from './whole.ts'

const ROUNDS = Number(process.env.FAULT_ROUNDS ?? 24)
const SEED = Number(process.env.FAULT_SEED ?? 20_261_123)
const WORDS = ['Evangeline', 'evangelin', 'parrot', 'Mortimer', 'mortimer']

const child = join(import.meta.dirname, 'children/erase.ts')

const openOwners = (path: string) => openMemory(path, { as: 'owner', embedder: createHashingEmbedder() })

test(`an erasing killed at any of ${ROUNDS} moments leaves a memory that opens, and can be finished`, async () => {
  const root = temporaryFolder()
  const made = join(root, 'made')
  const memory = await openOwners(join(made, 'memory.db'))
  await memory.rememberMany({
    blocks: Array.from({ length: 400 }, (_, i) => ({ content: `Crate ${i} holds rope` })),
  })
  for (let i = 0; i < 5; i += 1)
    await memory.remember({
      content: `Evangeline stowed parrot ${i} called Mortimer away in the bilge`,
      tags: ['secret'],
    })
  await memory.dream()
  await memory.backup()
  await memory.export({ name: 'one.jsonl' })
  await memory.close()
  const copyOf = (name: string) => {
    cpSync(made, join(root, name), { recursive: true })
    return join(root, name, 'memory.db')
  }
  const { said } = await runAndDie(child, [copyOf('whole'), 'secret'], Number.POSITIVE_INFINITY)
  expect(said).toEqual(['begins', 'done'])
  // The first one compiled what the others find compiled.
  const { took } = await runAndDie(child, [copyOf('again'), 'secret'], Number.POSITIVE_INFINITY)
  expect(tracesIn(join(root, 'whole'), WORDS)).toEqual([])
  const dice = createDice(SEED)
  const ends = new Set<string>()
  for (let round = 0; round < ROUNDS; round += 1) {
    const path = copyOf(String(round))
    await runAndDie(child, [path, 'secret'], dice() * took * 1.1)
    expect([round, problemsIn(path)]).toEqual([round, []])
    const after = await openOwners(path)
    const { reasons } = await after.status()
    const isLeft = reasons.some((reason) => reason.includes('erasing'))
    const { activeCount } = await after.status()
    ends.add(activeCount === 405 ? 'not begun' : isLeft ? 'left' : 'finished')
    if (activeCount === 405) await after.erase({ tags: ['secret'], copies: 'delete', yes: true })
    else if (isLeft)
      expect(await after.erase({ copies: 'delete' })).toMatchObject({ finished: true, foundAfter: 0 })
    expect((await after.recall({ query: 'crate 7 rope' })).blocks.length).toBeGreaterThan(0)
    await after.close()
    expect([round, tracesIn(join(root, String(round)), WORDS)]).toEqual([round, []])
  }
  expect([...ends]).toEqual(expect.arrayContaining(['not begun', 'left']))
}, 600_000)
