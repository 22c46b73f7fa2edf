import { chmodSync, copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { beforeAll } from 'vitest'
import { openMemory } from '../../src/memory.ts'
import { temporaryFolder } from '../helpers/memory.ts'

/** Makes a memory with a few facts, closed; its bytes serve as the beginning of every crafted file. */
async function makeWhole(path: string): Promise<void> {
  const memory = await openMemory(path, { config: { embeddings: { provider: 'hashing' } } })
  for (let i = 1; i <= 12; i += 1)
    await memory.remember({ content: `The harbour crane ${i} lifts ${i * 3} tons` })
  await memory.dream()
  await memory.close()
}

/** Makes one before the tests of a file; returns what copies it for a test. */
export function wholeMemories(): () => string {
  let whole = ''
  beforeAll(async () => {
    whole = join(mkdtempSync(join(tmpdir(), 'elfmem-whole-')), 'memory.db')
    await makeWhole(whole)
    return () => rmSync(dirname(whole), { recursive: true })
  })
  return () => {
    const path = join(temporaryFolder(), 'memory.db')
    copyFileSync(whole, path)
    chmodSync(path, 0o600)
    return path
  }
}
