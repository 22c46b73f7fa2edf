import { copyFileSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { ElfmemError } from '../../src/errors.ts'
import { createDice } from '../faults/dice.ts'
import { temporaryFolder } from '../helpers/memory.ts'
import { closedMemory, contentsIn, open } from './files.ts'

/** More rounds look at other places: `FAULT_ROUNDS=1000 npx vitest run test/files/damaged`. */
const ROUNDS = Number(process.env.FAULT_ROUNDS ?? 12)
const SEED = Number(process.env.FAULT_SEED ?? 20_261_122)
const WRITES = 30
const PARTS = ['', '-wal', '-shm'] as const

type Wound = (path: string, dice: () => number) => void

const WOUNDS: readonly Wound[] = [
  (path, dice) => truncateSync(path, Math.floor(dice() * readFileSync(path).length)),
  (path, dice) => {
    const bytes = readFileSync(path)
    for (let i = 0; i < 8; i++) bytes[Math.floor(dice() * bytes.length)]! ^= 0xff
    writeFileSync(path, bytes)
  },
  (path, dice) => {
    const bytes = readFileSync(path)
    const at = Math.floor((dice() * bytes.length) / 4096) * 4096
    writeFileSync(path, bytes.fill(0xa5, at, at + 4096))
  },
]

const LATE = Array.from({ length: WRITES }, (_, i) => `late fact ${i}`)

/** A memory whose newest writes are in its log alone, as a killed process leaves them. */
async function leftOpen(): Promise<string> {
  const path = await closedMemory()
  const memory = await open(path)
  for (const content of LATE) await memory.remember({ content })
  const left = join(temporaryFolder(), 'left.db')
  for (const part of PARTS) copyFileSync(path + part, left + part)
  await memory.close()
  return left
}

/** Opens what is left, recalls and writes; true if that worked, false if it was refused with a way out. */
async function works(path: string): Promise<boolean> {
  try {
    const memory = await open(path)
    try {
      await memory.recall({ query: 'late fact 7' })
      await memory.remember({ content: 'after the storm' })
    } finally {
      await memory.close()
    }
    return true
  } catch (error) {
    if (!ElfmemError.is(error)) throw error
    expect(error).toMatchObject({
      code: expect.stringMatching(/^STORE_/),
      recovery: expect.stringMatching(/./),
    })
    return false
  }
}

test(
  'a damaged log opens with a prefix of what was acknowledged, a damaged index of it with all, and a damaged file opens or is refused',
  async () => {
    const source = await leftOpen()
    const folder = temporaryFolder()
    const dice = createDice(SEED)
    let fewest = WRITES
    for (let round = 0; round < ROUNDS; round++) {
      const part = PARTS[round % PARTS.length] ?? ''
      const path = join(folder, `${round}.db`)
      for (const each of PARTS) copyFileSync(source + each, path + each)
      WOUNDS[Math.floor(dice() * WOUNDS.length)]?.(path + part, dice)
      const isWorking = await works(path)
      // The file itself has no copy of what it says.
      if (part === '') continue
      expect([round, isWorking]).toEqual([round, true])
      const late = contentsIn(path).filter((content) => content.startsWith('late'))
      expect([round, ...late]).toEqual([round, ...LATE.slice(0, late.length)])
      fewest = Math.min(fewest, late.length)
      if (part === '-shm') expect([round, late.length]).toEqual([round, WRITES])
      const raw = new DatabaseSync(path)
      expect([round, raw.prepare('PRAGMA integrity_check').get()]).toEqual([round, { integrity_check: 'ok' }])
      raw.close()
    }
    expect(fewest).toBeLessThan(WRITES)
  },
  60_000 + ROUNDS * 5_000,
)
